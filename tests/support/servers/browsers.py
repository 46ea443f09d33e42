"""What tests of the browser have in common: a stage to play on, and a short way to say "visit this"."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from kept.fetch.browser.pool import BrowserPool
from kept.fetch.browser.rendered import Rendered
from kept.fetch.outcome import FetchFailed
from kept.urls.url import get_url
from support.servers import sites
from support.servers.sites import Handler, Site

MakePool = Callable[..., BrowserPool]
MakeSite = Callable[..., Awaitable[Site]]

# Far more than a page here needs, as the machine may be busy; only faults come near it.
SECONDS = 30.0


class Stage:
    """One site and one browser for many tests: starting a browser takes a second, changing the play does not."""

    def __init__(self, pool: BrowserPool, site: Site, home: Path) -> None:
        self.pool = pool
        self.site = site
        self.home = home

    def play(self, content: Handler | dict[str, bytes]) -> None:
        self.site.handler = sites.pages(content) if isinstance(content, dict) else content
        self.site.requests.clear()

    async def render(
        self, path: str = "/", *, html: bool = True, screenshot: bool = False, seconds: float = SECONDS
    ) -> Rendered | FetchFailed:
        return await render(self.pool, self.site.url(path), html=html, screenshot=screenshot, seconds=seconds)

    @property
    def asked(self) -> list[str]:
        return [request.target for request in self.site.requests]


async def render(
    pool: BrowserPool, url: str, *, html: bool = True, screenshot: bool = False, seconds: float = SECONDS
) -> Rendered | FetchFailed:
    return await pool.render(get_url(url), want_html=html, want_screenshot=screenshot, seconds=seconds)


def page(body: str, status: str = "200 OK", type: str = "text/html; charset=utf-8", **headers: str) -> bytes:
    return sites.page(body.encode(), status, Content_Type=type, **headers)


def get_html(outcome: Rendered | FetchFailed) -> str:
    assert isinstance(outcome, Rendered), outcome
    assert outcome.html is not None
    return outcome.html


def get_failure(outcome: Rendered | FetchFailed) -> FetchFailed:
    assert isinstance(outcome, FetchFailed), outcome
    return outcome
