"""What a whole page costs in a browser's visit: MHTML, screenshot of its length and PDF, against a screenshot alone.

./bench capture [PAGES [ROUNDS]]
"""

import argparse
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
from support.builders.pictures import picture
from support.servers.origin import run_origin

GOAL = 1.5
PAGES = Path(__file__).parents[1] / "tests" / "corpus" / "pages"


async def main(pages: int, rounds: int) -> int:
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
    share = statistics.median(whole) / statistics.median(plain)
    print(f"a visit with the whole page takes {share:.2f} times as long")
    if share > GOAL:
        print(f"missed: {GOAL} times as long")
    return int(share > GOAL)


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    sys.exit(asyncio.run(main(2, 1) if options.quick else main(options.pages, options.rounds)))
