"""One visit with Playwright, in the browser process only: open the page, let it draw, take its HTML and a screenshot.

The URL reported is the main response's, and the HTML is that same document's: once it is there, the main frame may not
go anywhere else, and a document that got replaced all the same is not reported at all.
"""

import asyncio
import base64
import contextlib
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any, Final

from playwright.async_api import Browser, BrowserContext, CDPSession, Error, Page, Request, Response, async_playwright
from playwright.async_api import TimeoutError as PlaywrightTimeout

from kept.content.images.format import Thumbnail
from kept.content.images.thumbnail import make_thumbnail
from kept.content.images.uniformity import is_nearly_uniform
from kept.content.page.refresh import find_refresh
from kept.fetch.browser import chromium
from kept.fetch.browser.capture import capture_page
from kept.fetch.browser.guard import Watch, guard, keep_headers
from kept.fetch.browser.messages import Failed, Order, Seen
from kept.fetch.outcome import WALL_STATUSES, FetchReason

LAUNCH_SECONDS: Final = 20.0
MAX_TITLE_CHARS: Final = 1000
MAX_DETAIL_CHARS: Final = 500
POLL_SECONDS: Final = 0.05
LATE_EVENT_SECONDS: Final = 1.0
# A visit for a cover alone is of a page whose article is there and which names no image: it is mostly text. One that
# has drawn nothing by then gets all of its time.
COVER_SETTLE_SECONDS: Final = 1.0
# After its images and scripts are there: for scripts to draw what they draw at once.
COVER_DRAW_SECONDS: Final = 0.25

# Chromium shows these itself. It would show a PDF too, in a viewer that is no page.
DRAWABLE: Final = re.compile(r"text/|image/|application/(xhtml\+xml|xml|json)\b", re.IGNORECASE)

# Run in a world of its own, where the page's scripts cannot have replaced anything it calls. A document over
# the limit stays in the renderer: neither the driver nor we ever hold it.
READ_DOCUMENT: Final = """(() => {
  const root = document.documentElement, type = document.doctype;
  const head = type ? new XMLSerializer().serializeToString(type) + "\\n" : "";
  const html = WANTED && root ? head + root.outerHTML : "";
  const refreshes = document.querySelector("meta[http-equiv=refresh i]") !== null;
  return {title: document.title.slice(0, TITLE), html: html.length > LIMIT ? null : html, refreshes};
})()"""


class StoppedError(Exception):
    """The visit cannot go on, for this reason."""

    def __init__(self, reason: FetchReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@contextlib.asynccontextmanager
async def launched(executable: str, proxy: str, sandbox: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        yield await playwright.chromium.launch(
            executable_path=executable,
            chromium_sandbox=sandbox == chromium.SANDBOX,
            args=[*chromium.egress_flags(proxy), *chromium.thrift_flags()],
            ignore_default_args=list(chromium.UNWANTED_DEFAULTS),
            timeout=LAUNCH_SECONDS * 1000,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )


async def visit(browser: Browser, order: Order) -> tuple[Seen | Failed, bytes]:
    """Visit a page without raising for what it does. The context stays open for `close_contexts` after the answer."""
    watch = Watch(order, main_url=order.url)
    try:
        async with asyncio.timeout_at(order.deadline):
            return await look_until_stopped(browser, watch)
    except (TimeoutError, PlaywrightTimeout) as error:
        return explain(watch, FetchReason.RENDER_TIMED_OUT, error), b""
    except StoppedError as error:
        return explain(watch, error.reason, error), b""
    except Error as error:
        return explain(watch, name_reason(watch, error), error), b""


async def close_contexts(browser: Browser) -> None:
    for context in browser.contexts:
        await context.close()


def explain(watch: Watch, reason: FetchReason | None, error: Exception) -> Failed:
    first_line = str(error).partition("\n")[0]
    return Failed(reason, watch.main_url, first_line[:MAX_DETAIL_CHARS], watch.status, watch.headers)


def name_reason(watch: Watch, error: Error) -> FetchReason | None:
    if watch.stopped.done():
        return watch.stopped.result()
    text = str(error)
    if "net::ERR_ABORTED" in text or "Download is starting" in text:
        # Chromium says the same when it lost its network process, or the page's, before there was an answer.
        return FetchReason.UNSUPPORTED_CONTENT if watch.status else FetchReason.BROWSER_FAILED
    return None if "net::" in text else FetchReason.BROWSER_FAILED


async def look_until_stopped(browser: Browser, watch: Watch) -> tuple[Seen, bytes]:
    """Visit a page until it is done or stopped; the reason of a stop counts before the error that came of it."""
    work = asyncio.ensure_future(look(browser, watch))
    first: set[asyncio.Future[Any]] = {work, watch.stopped}
    try:
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        if work.done() and may_be_explained(work.exception()):
            await asyncio.wait({watch.stopped}, timeout=LATE_EVENT_SECONDS)
        if watch.stopped.done():
            raise StoppedError(watch.stopped.result(), "the page ended before it was read")
        return await work
    finally:
        work.cancel()
        work.add_done_callback(forget)


def may_be_explained(error: BaseException | None) -> bool:
    """Return whether an event that explains the error (the page went elsewhere, it crashed) may come after it."""
    return isinstance(error, Error) and "net::" not in str(error)


def forget(work: asyncio.Future[Any]) -> None:
    """Read what a cancelled visit raised, so that asyncio does not complain that nobody did."""
    if not work.cancelled():
        work.exception()


async def look(browser: Browser, watch: Watch) -> tuple[Seen, bytes]:
    order = watch.order
    context = await open_context(browser, order)
    page = await context.new_page()
    cdp = await context.new_cdp_session(page)
    await guard(context, page, cdp, watch)
    response = await navigate(page, order)
    if response.status >= 400 and response.status not in WALL_STATUSES:  # nobody looks at a plain error page
        return see(response, watch), b""
    world = await open_world(cdp)
    await wait_until_parsed(world)
    parsed_at = time.monotonic()
    thumbnail = await settle_for_cover(page, cdp, order) if is_for_cover(order) else None
    if thumbnail is None:
        await settle(page, order.settle_seconds - (time.monotonic() - parsed_at))
    settle_ms = round((time.monotonic() - parsed_at) * 1000)
    title, html, refreshes = await read_document(world, order)
    refresh = await read_refresh(response) if refreshes else None
    if thumbnail is None and order.want_screenshot:
        thumbnail = await take_thumbnail(cdp)
    captured = await capture_page(cdp, world, order) if refresh is None else ()
    await require_same_document(cdp, watch)
    seen = replace(see(response, watch), title=title, refresh=refresh, settle_ms=settle_ms, html_bytes=len(html))
    seen = replace(seen, captured=captured)
    if thumbnail is None:
        return seen, html
    return replace(seen, thumbnail_width=thumbnail.width, thumbnail_height=thumbnail.height), html + thumbnail.data


def see(response: Response, watch: Watch) -> Seen:
    """Return what the response alone tells."""
    return Seen(
        final_url=response.url + watch.fragment,
        status=response.status,
        headers=keep_headers(response.headers),
        title="",
        redirects=count_redirects(response.request),
        settle_ms=0,
        html_bytes=0,
        thumbnail_width=0,
        thumbnail_height=0,
    )


async def open_context(browser: Browser, order: Order) -> BrowserContext:
    context = await browser.new_context(
        viewport={"width": chromium.VIEWPORT_WIDTH, "height": chromium.VIEWPORT_HEIGHT},
        user_agent=order.user_agent,
        proxy={"server": order.proxy, "username": order.proxy_username, "password": order.proxy_password},
        accept_downloads=False,
        service_workers="block",
    )
    context.set_default_timeout(max(order.deadline - time.monotonic(), 0.1) * 1000)
    await context.grant_permissions([])  # an empty grant turns every permission from "ask" to "denied"
    return context


async def navigate(page: Page, order: Order) -> Response:
    response = await page.goto(order.url, wait_until="commit")
    if response is None:
        raise StoppedError(FetchReason.BROWSER_FAILED, "the browser reports no response")
    if not DRAWABLE.match(response.headers.get("content-type", "text/html")):
        raise StoppedError(FetchReason.UNSUPPORTED_CONTENT, "not a page")
    return response


async def settle(page: Page, seconds: float) -> None:
    """Let scripts and images load: until half a second without traffic, or until time is up."""
    with contextlib.suppress(PlaywrightTimeout):
        await page.wait_for_load_state("networkidle", timeout=max(seconds, 0.001) * 1000)  # 0 would be for ever


def is_for_cover(order: Order) -> bool:
    return order.want_screenshot and not order.want_html and order.capture_folder is None


async def settle_for_cover(page: Page, cdp: CDPSession, order: Order) -> Thumbnail | None:
    """Take a screenshot soon, since several pages may be waiting for this browser."""
    seconds = min(order.settle_seconds, COVER_SETTLE_SECONDS)
    with contextlib.suppress(TimeoutError, PlaywrightTimeout):
        async with asyncio.timeout(seconds):
            await page.wait_for_load_state("load", timeout=seconds * 1000)
            await asyncio.sleep(COVER_DRAW_SECONDS)
    return await take_thumbnail(cdp)


@dataclass(frozen=True, slots=True)
class World:
    """An isolated world for our script in a document, which the page can neither see nor change."""

    cdp: CDPSession
    context_id: int

    async def evaluate(self, script: str) -> Any:
        answer = await self.cdp.send(
            "Runtime.evaluate",
            {"expression": script, "contextId": self.context_id, "returnByValue": True, "awaitPromise": True},
        )
        if "exceptionDetails" in answer:
            raise StoppedError(FetchReason.BROWSER_FAILED, "the document could not be read")
        return answer["result"].get("value")


async def open_world(cdp: CDPSession) -> World:
    tree = await cdp.send("Page.getFrameTree")
    frame_id = tree["frameTree"]["frame"]["id"]
    world = await cdp.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": "kept"})
    return World(cdp, world["executionContextId"])


async def wait_until_parsed(world: World) -> None:
    """Wait by polling: a page that tries to leave while it is parsed never fires DOMContentLoaded."""
    while await world.evaluate("document.readyState") == "loading":  # noqa: ASYNC110
        await asyncio.sleep(POLL_SECONDS)


async def read_refresh(response: Response) -> str | None:
    """Find the refresh in what the site sent; a document's scripts may write what they like."""
    try:
        return find_refresh(await response.body())
    except Error:  # the browser no longer has it
        return None


async def read_document(world: World, order: Order) -> tuple[str, bytes, bool]:
    script = (
        READ_DOCUMENT.replace("WANTED", "true" if order.want_html else "false")
        .replace("TITLE", str(MAX_TITLE_CHARS))
        .replace("LIMIT", str(order.max_html_chars))
    )
    value = await world.evaluate(script)
    if value["html"] is None:
        raise StoppedError(FetchReason.TOO_LARGE, "the document is too large")
    return value["title"], value["html"].encode(errors="replace"), value["refreshes"]


async def take_thumbnail(cdp: CDPSession) -> Thumbnail | None:
    shot = await cdp.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
    made = make_thumbnail(base64.b64decode(shot["data"]))
    if not isinstance(made, Thumbnail) or is_nearly_uniform(made.data):  # what shows nothing is no cover
        return None
    return made


async def require_same_document(cdp: CDPSession, watch: Watch) -> None:
    """Require that the first document is still there after all was read, so that what was read is its own."""
    tree = await cdp.send("Page.getFrameTree")
    if watch.documents != [tree["frameTree"]["frame"]["loaderId"]]:
        raise StoppedError(FetchReason.PAGE_LEFT, "the page went elsewhere")


def count_redirects(request: Request) -> int:
    count = 0
    while request.redirected_from is not None:
        request, count = request.redirected_from, count + 1
    return count
