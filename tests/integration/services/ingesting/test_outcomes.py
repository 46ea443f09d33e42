"""The outcome table, row by row: what a save answers, and how its page ends, with a browser and without one.

A Kept that listens, a local executor with all its handlers and a site on loopback; nothing is replaced. Each way of
running (`MODES`) saves all pages once, works off all jobs, and is then looked at row by row. Outcomes that no page of a
site can bring about (killed workers, crashes, a database that is away) have tests of their own, which
docs/requirements.md names.
"""

import asyncio
import gzip
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest
from aiohttp import web

from kept.config import Limits
from kept.domain.job import Queue
from kept.fetch.browser.chromium import find_chromium
from kept.wiring.worker import open_executor
from support.builders.articles import BODY, get_media, list_history
from support.builders.jobs import until_empty
from support.builders.pictures import photograph
from support.fixtures.databases import copy_sqlite
from support.servers.origin import Handler, Origin, article, run_origin
from support.servers.serving import Person, RunningKept, run_kept, settings_reaching

pytestmark = [
    pytest.mark.requirement("000", "every outcome of a save and its page, for each `KEPT_RENDER` and failure code"),
    pytest.mark.requirement("002", "§6 codes, content types"),
    pytest.mark.requirement(
        "differs",
        "000 edge case: a wall's metadata fills the card → only a login page's; any wall's screenshot",
        "003 §5.2: 5xx and DNS failures are final → 503, 429 and failing name servers are retried",
    ),
]

# --- the table --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class End:
    """Where the page and its card end."""

    status: str
    code: str | None
    card: str
    has_image: bool


READY: Final = End("ready_for_reading", None, "succeeded", has_image=True)
READY_WITHOUT_IMAGE: Final = replace(READY, has_image=False)


def failed(code: str, card: str = "failed", *, has_image: bool = False) -> End:
    return End("failed", code, card, has_image)


@dataclass(frozen=True)
class Row:
    answered: str
    """`enrichment_status` in the answer to the save."""
    end: End
    """With a browser."""
    end_without: End | None = None
    """Without one, where that differs."""
    end_always: End | None = None
    """With `KEPT_RENDER=always`, where that differs from the end with a browser; asked of `ALWAYS` alone."""
    attempts: int = 1
    """The worker's own, before a browser comes."""
    visits: int = 0
    """By the browser, once the worker is done."""


MODES: Final[dict[str, dict[str, Any]]] = {
    "a browser": {},
    "no browser": {"chromium": Path("/nonexistent/chromium")},
    "never": {"render": "never"},
    "always": {"render": "always"},
}
ALWAYS: Final = (
    "an image, a title, an excerpt",
    "no image",
    "a redirect inside",
    "404",
    "no such name",
    "six redirects",
    "half a page",
    "a PDF",
    "a PDF called HTML",
    "an image file",
    "an empty page",
    "a robot check with 403",
    "a soft 404",
    "the front page instead",
)
"""The rows in which a browser that comes first could make a difference: each visit takes its time."""

SETTINGS: Final[dict[str, Any]] = {
    "retry_backoff_base": 0.05,
    "host_gap_seconds": 0.0,
    "host_concurrency": 10,
    "limits": Limits(
        save_fetch_seconds=5.0,
        save_budget_seconds=20.0,
        fetch_read_seconds=1.0,
        fetch_max_bytes=300_000,
        save_max_bytes=300_000,
        render_settle_seconds=1.0,
    ),
}
"""Patient with all pages but the one that never answers."""

NO_CONTENT, SOFT_404, FETCH_FAILED = "E_EXTRACT_NO_CONTENT", "E_EXTRACT_SOFT_404", "E_FETCH_FAILED"
OTHER_FILE = failed("E_FETCH_UNSUPPORTED_CONTENT_TYPE")
BROKEN = failed("E_DOCUMENT_BROKEN", "succeeded")
BLOCKED = End("blocked", "E_FETCH_FORBIDDEN", "failed", has_image=False)


def wall(code: str) -> Row:
    """What visitors see of it is the cover, and nothing of it the card's text."""
    return Row("pending", failed(code, "succeeded", has_image=True), failed(code), visits=1)


ROWS: Final[dict[str, Row]] = {
    # after the save's own fetch
    "an image, a title, an excerpt": Row("succeeded", READY),
    "an image alone": Row("succeeded", READY),
    "an image that cannot be had": Row("succeeded", READY, READY_WITHOUT_IMAGE, visits=1),
    "no image": Row("pending", READY, READY_WITHOUT_IMAGE, visits=1),
    "an address inside": Row("failed", BLOCKED, attempts=0),
    "a redirect inside": Row("failed", BLOCKED, attempts=0),
    "another scheme": Row("failed", End("invalid_url", "E_URL_INVALID", "failed", has_image=False), attempts=0),
    # the fetch failed; final at once
    "404": Row("pending", failed(FETCH_FAILED), visits=1),
    "410": Row("pending", failed(FETCH_FAILED), visits=1),
    "403": Row("pending", failed(FETCH_FAILED), visits=1),
    "500": Row("pending", failed(FETCH_FAILED), visits=1),
    "no such name": Row("pending", failed(FETCH_FAILED)),
    "six redirects": Row("pending", failed(FETCH_FAILED), visits=1),
    "redirects for ever": Row("pending", failed(FETCH_FAILED), visits=1),
    "too large": Row("pending", failed(FETCH_FAILED, "succeeded"), visits=1),
    # the fetch failed; tried again
    "429": Row("pending", failed(FETCH_FAILED), attempts=3, visits=1),
    "503": Row("pending", failed(FETCH_FAILED), attempts=3, visits=1),
    "a connection that breaks off": Row("pending", failed(FETCH_FAILED), attempts=3, visits=1),
    "a connection that is refused": Row("pending", failed(FETCH_FAILED), attempts=3),
    "no answer in time": Row("pending", failed(FETCH_FAILED), attempts=3, visits=1),
    "half a page": Row(
        "pending",
        failed(FETCH_FAILED, "succeeded", has_image=True),
        failed(FETCH_FAILED, "succeeded"),
        end_always=READY,  # a browser does not notice
        attempts=3,
        visits=1,
    ),
    # not a page, but a document: its name is its title
    "a PDF": Row("pending", BROKEN),
    "a PDF called HTML": Row("pending", BROKEN),
    "an EPUB": Row("pending", BROKEN),
    "an image file": Row("pending", READY),
    "a few words of plain text": Row("pending", READY_WITHOUT_IMAGE),
    # not even that
    "data": Row("pending", replace(OTHER_FILE, card="succeeded", has_image=True), OTHER_FILE, visits=1),
    "an archive": Row("pending", OTHER_FILE, visits=1),
    # nothing to read
    "an empty page": Row("pending", failed(NO_CONTENT), visits=1),  # what shows nothing is no cover
    "too little": Row("succeeded", failed(NO_CONTENT, "succeeded", has_image=True), visits=1),
    "drawn by a script": Row("pending", READY, failed(NO_CONTENT, "succeeded"), visits=1),
    "read by the browser alone": Row("pending", READY, failed(FETCH_FAILED), visits=1),
    # something in the way
    "a robot check": wall("E_EXTRACT_CHALLENGE"),
    "a robot check with 403": wall("E_EXTRACT_CHALLENGE"),
    "a robot check with 503": replace(wall("E_EXTRACT_CHALLENGE"), attempts=3),
    # its title is that of the site at least, and fills the card
    "a login": replace(wall("E_EXTRACT_LOGIN"), end_without=failed("E_EXTRACT_LOGIN", "succeeded")),
    "a login with 401": wall("E_EXTRACT_LOGIN"),
    "a consent wall": wall("E_EXTRACT_CONSENT"),
    "a soft 404": Row("pending", failed(SOFT_404), visits=1),
    "an error that says 200": Row("pending", failed(FETCH_FAILED), visits=1),
    "the front page instead": Row("pending", failed(SOFT_404), visits=1),
}

# --- the site ---------------------------------------------------------------------------------------------------------

CHALLENGE = """<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/x.js"></script>
    <h1>Checking your browser</h1><p>Verifying you are human. This may take a few seconds.</p>"""
LOGIN = f"""<title>Sign in</title><h1>Sign in</h1><form><input name=u><input type=password></form>
<p>{"Members read all there is. " * 20}</p>"""
CONSENT = "<title>Paper</title><h1>We value your privacy</h1><p>Choose.</p><button>Agree</button>"
SHELL = f"""<!doctype html><title>App</title><body><div id="root"></div><script>
    document.getElementById("root").innerHTML = {BODY!r}</script></body>"""
RELEASED = asyncio.Event()
"""For the page that never answers: when all is over."""
EPUB = b"PK\x03\x04" + b"\0" * 26 + b"mimetypeapplication/epub+zip"


def is_browser(request: web.BaseRequest) -> bool:
    return "Sec-Fetch-Mode" in request.headers or "Accept-Language" in request.headers


async def reset(request: web.BaseRequest) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def stall(request: web.BaseRequest) -> web.StreamResponse:
    """For ever to our client; a browser, which would wait for half a minute, is sent away."""
    if is_browser(request):
        return await reset(request)
    await RELEASED.wait()
    return web.Response()


async def break_off(request: web.BaseRequest) -> web.StreamResponse:
    whole = gzip.compress(article("Half", image=None, body=BODY * 20).encode(), mtime=0)
    headers = {"Content-Encoding": "gzip", "Content-Type": "text/html"}
    return web.Response(body=whole[: len(whole) * 3 // 4], headers=headers)


async def turn_clients_away(request: web.BaseRequest) -> web.StreamResponse:
    page = article("Let in", image=None, body=BODY)
    return web.Response(text=page, status=200 if is_browser(request) else 403, content_type="text/html")


def build_site(origin: Origin) -> dict[str, str]:
    """The URL of each row's page."""
    origin.file("/picture.png", photograph((400, 300)), "image/png")
    origin.page("/", article("Front page", image=None, body=BODY))
    origin.page("/seventh", article("Far away", image=None, body=BODY))
    for number in range(1, 7):
        origin.redirect(f"/hop-{number}", f"/hop-{number + 1}" if number < 6 else "/seventh")
    large = article("Large", None, None, BODY + "<p>words </p>" * 30_000)
    pages: dict[str, tuple[str, int]] = {
        "an image, a title, an excerpt": (article("A title", "An excerpt.", "/picture.png", BODY), 200),
        "an image alone": (article(None, None, "/picture.png", BODY), 200),
        "an image that cannot be had": (article("A title", "An excerpt.", "/gone.png", BODY), 200),
        "no image": (article("A title", "An excerpt.", None, BODY), 200),
        **{str(status): ("<title>Oh</title><p>Nothing.", status) for status in (403, 404, 410, 429, 500, 503)},
        "too large": (large, 200),
        "an empty page": ("<!doctype html><body></body>", 200),
        "too little": (article("A title", None, "/picture.png", "<p>Hi.</p>"), 200),
        "drawn by a script": (SHELL, 200),
        "a robot check": (CHALLENGE, 200),
        "a robot check with 403": (CHALLENGE, 403),
        "a robot check with 503": (CHALLENGE, 503),
        "a login": (LOGIN, 200),
        "a login with 401": (LOGIN, 401),
        "a consent wall": (CONSENT, 200),
        "a soft 404": ("<title>Page not found</title><h1>Page not found</h1>", 200),
        "an error that says 200": ("<title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>", 200),
    }
    files: dict[str, tuple[bytes, str]] = {
        "a PDF": (b"%PDF-1.7 ...", "application/pdf"),
        "a PDF called HTML": (b"%PDF-1.7 ...", "text/html"),
        "an EPUB": (EPUB, "application/epub+zip"),
        "an image file": (photograph((400, 300)), "image/png"),
        "data": (b'{"a": "%s"}' % (b"words " * 300), "application/json"),
        "a few words of plain text": (b"Hi.", "text/plain"),
        "an archive": (b"PK\x03\x04zip", "application/zip"),
    }
    handlers: dict[str, Handler] = {
        "a connection that breaks off": reset,
        "no answer in time": stall,
        "half a page": break_off,
        "read by the browser alone": turn_clients_away,
    }
    redirects = {
        "a redirect inside": "http://10.0.0.1/",
        "redirects for ever": path_of("redirects for ever"),
        "the front page instead": "/",
    }
    return (
        {name: origin.page(path_of(name), html, status=status) for name, (html, status) in pages.items()}
        | {name: origin.file(path_of(name), body, kind) for name, (body, kind) in files.items()}
        | {name: origin.on(path_of(name), handler) for name, handler in handlers.items()}
        | {name: origin.redirect(path_of(name), target) for name, target in redirects.items()}
        | {
            "six redirects": origin.url("/hop-1"),
            "an address inside": "http://10.0.0.1/",
            "another scheme": "mailto:ann@example.org",
            "no such name": "http://no-such-name.invalid/",
            "a connection that is refused": f"http://127.0.0.9:{origin.port}/",
        }
    )


def path_of(name: str) -> str:
    return "/row/" + "".join(letter if letter.isalnum() else "-" for letter in name)


# --- the walk ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    answered: str
    is_bare: bool
    """The answer had neither title, excerpt nor image."""
    end: End
    attempts: int
    visits: int
    was_handed_over: bool
    message: str | None


@dataclass(frozen=True)
class Walk:
    mode: str
    outcomes: dict[str, Outcome]


@pytest.fixture(scope="module", params=["a browser", pytest.param("no browser", marks=pytest.mark.long), "never"])
async def walk(
    request: pytest.FixtureRequest, sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Walk]:
    async with walk_all(request.param, list(ROWS), sqlite_template, tmp_path_factory.mktemp("outcomes")) as walk:
        yield walk


@pytest.fixture(scope="module")
async def always_walk(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Walk]:
    async with walk_all("always", ALWAYS, sqlite_template, tmp_path_factory.mktemp("outcomes")) as walk:
        yield walk


@asynccontextmanager
async def walk_all(mode: str, names: Collection[str], template: Path, folder: Path) -> AsyncIterator[Walk]:
    if "chromium" not in MODES[mode] and find_chromium() is None:
        pytest.skip("CHROMIUM IS NOT INSTALLED: rendering is not tested")
    RELEASED.clear()
    async with run_origin() as origin:
        settings = settings_reaching(origin, copy_sqlite(template, folder), folder, **SETTINGS, **MODES[mode])
        async with run_kept(settings) as kept:
            ann = await kept.make_person("ann")
            urls = build_site(origin)
            saved = await asyncio.gather(*(ann.save(urls[name]) for name in names))
            items = dict(zip(names, saved, strict=True))
            async with open_executor(settings, {Queue.INGEST: 4, Queue.RENDER: 2}) as executor:
                working = asyncio.create_task(executor.run())
                await until_empty(kept.kept.database, seconds=600)
                executor.stop()
                await working
            RELEASED.set()
            yield Walk(mode, {name: await look(kept, ann, origin, name, items[name]) for name in names})


async def look(kept: RunningKept, ann: Person, origin: Origin, name: str, item: Any) -> Outcome:
    found, history = get_media(kept, item), list_history(kept, item)
    thumbnail = await ann.get(f"/api/v1/items/{item['id']}/thumbnail")
    path = "/hop-1" if name == "six redirects" else path_of(name)
    documents = [seen for seen in origin.seen if seen.path == path and is_browser(seen)]
    return Outcome(
        item["enrichment_status"],
        not (item["title"] or item["excerpt"] or item["preview_image_url"]),
        End(found.processing_status, found.failure_code, found.enrichment_status, thumbnail.status == 200),
        found.processing_attempts,
        len(documents),
        any(line.record.handed_to == "browser" for line in history),
        found.failure_message,
    )


@pytest.mark.long
@pytest.mark.parametrize("name", ALWAYS)
def test_a_page_that_the_browser_visits_first_ends_as_the_table_says(always_walk: Walk, name: str) -> None:
    row, outcome = ROWS[name], always_walk.outcomes[name]
    assert outcome.answered == row.answered
    assert outcome.end == (row.end_always or row.end)


@pytest.mark.parametrize("name", ROWS)
def test_a_page_ends_as_the_table_says(walk: Walk, name: str) -> None:
    row, outcome = ROWS[name], walk.outcomes[name]
    assert outcome.answered == row.answered
    has_browser = walk.mode == "a browser"
    assert outcome.end == (row.end if has_browser else row.end_without or row.end)
    assert outcome.attempts == row.attempts
    if name != "redirects for ever":  # where each hop is a request of the same page
        assert outcome.visits == (row.visits if has_browser else 0)
    assert has_browser or not outcome.was_handed_over
    assert (outcome.message is None) == (outcome.end.status == "ready_for_reading")
