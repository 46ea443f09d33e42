"""What a whole page costs in a browser's visit: MHTML, screenshot of its length and PDF, against a screenshot alone.

./bench capture [PAGES [ROUNDS]]
"""

import asyncio
import statistics
import sys
import time
from pathlib import Path

from kept.config import Settings, parse_allowed_target
from kept.fetch.browser.pool import BrowserPool
from kept.fetch.browser.rendered import Rendered
from kept.fetch.policy import EgressPolicy
from kept.fetch.resolver import AresResolver
from kept.urls.url import NormalisedUrl, get_url
from support.origin import run_origin
from support.pictures import picture

PAGES = Path(__file__).parents[1] / "corpus" / "pages"


async def main(pages: int, rounds: int) -> None:
    async with run_origin() as origin:
        image = picture(size=(640, 400))
        paths = sorted(PAGES.glob("*.html"))[:pages]
        origin.file("/i.png", image, "image/png")
        urls = [
            get_url(origin.page(f"/{path.stem}", path.read_text("utf-8", "replace") + '<img src="/i.png">'))
            for path in paths
        ]
        settings = Settings(fetch_allow=(parse_allowed_target(origin.allowance),), fetch_ports=frozenset({origin.port}))
        resolver = AresResolver()
        browsers = BrowserPool.from_settings(settings, policy=EgressPolicy.from_settings(settings), resolver=resolver)
        try:
            await visit(browsers, urls[0], capture=True)  # the browser starts
            plain, whole = await compare(browsers, urls * rounds)
        finally:
            await browsers.close()
            await resolver.close()
    print(f"{len(plain)} visits each, seconds: screenshot {describe(plain)}, with the whole page {describe(whole)}")
    print(f"a visit with the whole page takes {statistics.median(whole) / statistics.median(plain):.2f} times as long")


async def compare(browsers: BrowserPool, urls: list[NormalisedUrl]) -> tuple[list[float], list[float]]:
    plain: list[float] = []
    whole: list[float] = []
    for url in urls:  # in turns, so that both meet the same machine
        plain.append(await visit(browsers, url, capture=False))
        whole.append(await visit(browsers, url, capture=True))
    return plain, whole


async def visit(browsers: BrowserPool, url: NormalisedUrl, *, capture: bool) -> float:
    began = time.perf_counter()
    rendered = await browsers.render(url, want_html=True, want_screenshot=True, seconds=60, capture=capture)
    took = time.perf_counter() - began
    assert isinstance(rendered, Rendered), rendered
    assert len(rendered.captures) == (3 if capture else 0), list(rendered.captures)
    for file in rendered.captures.values():
        file.close()
    return took


def describe(times: list[float]) -> str:
    return f"median {statistics.median(times):.2f}, most {max(times):.2f}"


if __name__ == "__main__":
    pages, rounds = [*map(int, sys.argv[1:3]), *(8, 2)[len(sys.argv[1:3]) :]]
    asyncio.run(main(pages, rounds))
