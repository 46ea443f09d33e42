"""The web of the chaos tests: many small sites on loopback, and what should become of each page once it is saved."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from aiohttp import web

from kept.domain.lifecycle import ProcessingStatus
from support.builders.pictures import picture
from support.servers.origin import Handler, Origin, article, run_origin

HOSTS: Final = tuple(f"127.0.0.{number}" for number in range(2, 32))
PORTRAIT: Final = picture(size=(400, 300))
SHARED_PATH: Final = "/one-page"
SLOW_SECONDS: Final = 4.5  # longer than a save waits, shorter than a worker does


class PageKind(StrEnum):
    PICTURED = "readable, with a picture"
    PLAIN = "readable, no picture"
    SCRIPTED = "made by JavaScript"
    MOVED = "redirects to one page"
    SLOW = "slow"
    BUSY = "503 at first"
    MISSING = "404"
    EMPTY = "nothing to read"
    FORBIDDEN = "inside our network"
    UNFETCHABLE = "not of the web"


# Of a hundred saves; a browser's visit costs as much as fifty other pages, so that there are few of them.
MIX: Final = {
    PageKind.PICTURED: 40,
    PageKind.PLAIN: 8,
    PageKind.SCRIPTED: 4,
    PageKind.MOVED: 18,
    PageKind.SLOW: 5,
    PageKind.BUSY: 6,
    PageKind.MISSING: 11,
    PageKind.EMPTY: 3,
    PageKind.FORBIDDEN: 3,
    PageKind.UNFETCHABLE: 2,
}

ENDS_AS: Final = {
    PageKind.MISSING: ProcessingStatus.FAILED,
    PageKind.EMPTY: ProcessingStatus.FAILED,
    PageKind.FORBIDDEN: ProcessingStatus.BLOCKED,
    PageKind.UNFETCHABLE: ProcessingStatus.INVALID_URL,
}


@dataclass(frozen=True)
class SavedPage:
    """One save to be made: its address, and the words that only this page has."""

    kind: PageKind
    url: str
    words: str

    @property
    def ends_as(self) -> ProcessingStatus:
        return ENDS_AS.get(self.kind, ProcessingStatus.READY_FOR_READING)

    @property
    def needs_screenshot(self) -> bool:
        return self.kind in {PageKind.PLAIN, PageKind.SCRIPTED}


@dataclass
class Site:
    origin: Origin
    hosts: tuple[str, ...] = HOSTS
    pages: list[SavedPage] = field(default_factory=list)

    def add(self, number: int, kind: PageKind) -> SavedPage:
        host, path = self.hosts[number % len(self.hosts)], f"/{number}"
        words = f"This is page number {number} of the kind that is {kind.value}."
        url = f"http://{host}:{self.origin.port}{path}"
        match kind:
            case PageKind.MOVED:
                winner = self.hosts[number % 3]  # many addresses lead to each of three pages
                words, url = f"This is the one page of {winner}.", url.replace(host, winner)
                self.origin.redirect(path, SHARED_PATH)
            case PageKind.FORBIDDEN:
                url = f"http://10.0.0.1/{number}"
            case PageKind.UNFETCHABLE:
                url = f"mailto:nobody-{number}@example.org"
            case _:
                self.origin.on(path, make_answer(kind, words))
        self.pages.append(SavedPage(kind, url, words))
        return self.pages[-1]


def make_answer(kind: PageKind, words: str) -> Handler:
    html, asked = make_html(kind, words), 0

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        nonlocal asked
        asked += 1
        if kind is PageKind.BUSY and asked == 1:
            return web.Response(status=503)
        if kind is PageKind.SLOW:
            await asyncio.sleep(SLOW_SECONDS)
        return web.Response(text=html, content_type="text/html", status=404 if kind is PageKind.MISSING else 200)

    return answer


def make_html(kind: PageKind, words: str) -> str:
    image = None if kind in {PageKind.PLAIN, PageKind.SCRIPTED} else "/portrait.png"
    body = make_body(words)
    match kind:
        case PageKind.EMPTY:
            body = "<p>Hi.</p>"
        case PageKind.SCRIPTED:
            body = f"<div id=app></div><script>document.getElementById('app').innerHTML = `{body}`</script>"
    return article("The harbour", "An excerpt.", image, body)


def make_body(words: str) -> str:
    sentence = "Nobody who walked along the harbour that morning thought of the storm to come. "
    return f"<article><h1>The harbour</h1><p>{words} {sentence * 4}</p>" + f"<p>{sentence * 5}</p>" * 5 + "</article>"


@asynccontextmanager
async def run_site(saves: int, seed: int) -> AsyncIterator[Site]:
    """A site with as many addresses to save; a seventh of the saves are of an address that was saved before."""
    dice = random.Random(seed)
    async with run_origin(*HOSTS) as origin:
        site = Site(origin)
        origin.on("/portrait.png", serve_portrait)
        origin.on(SHARED_PATH, serve_shared_page)
        kinds = [kind for kind, share in MIX.items() for _ in range(share)]
        for number in range(saves * 6 // 7):
            site.add(number, kinds[number * 37 % len(kinds)])
        site.pages += dice.choices(site.pages, k=saves - len(site.pages))
        dice.shuffle(site.pages)
        # The browser's first: it takes longest to start, and should be there to be killed.
        site.pages.sort(key=lambda page: not page.needs_screenshot)
        yield site


async def serve_portrait(request: web.BaseRequest) -> web.StreamResponse:
    return web.Response(body=PORTRAIT, content_type="image/png")


async def serve_shared_page(request: web.BaseRequest) -> web.StreamResponse:
    words = f"This is the one page of {(request.host or '').partition(':')[0]}."
    return web.Response(text=make_html(PageKind.MOVED, words), content_type="text/html")
