"""What a page may not do while we visit it, and a record of what it did. It runs in the browser process only.

IP addresses are not judged here but in the proxy: a page that got past this module would still meet the gate.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.async_api import BrowserContext, CDPSession, Dialog, Error, Page, Request, Response, Route

from kept.fetch.browser.messages import Order
from kept.fetch.outcome import FetchReason

# What callers may want to know of a response; the rest stays in the browser process.
KEPT_HEADERS: Final = ("content-type", "content-language", "retry-after", "x-robots-tag")
MAX_HEADER_CHARS: Final = 500

HEAVY_TYPES: Final = frozenset({"image", "media", "font"})


@dataclass
class Watch:
    """A record of what a page did so far, from events; `stopped` ends the visit at once."""

    order: Order
    main_url: str
    main_requested: bool = False
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    documents: list[str] = field(default_factory=list)
    fragment: str = ""
    """The fragment of the main document's URL, with `#`: Playwright leaves it out of a response's URL."""
    stopped: asyncio.Future[FetchReason] = field(default_factory=asyncio.Future)

    def stop(self, reason: FetchReason) -> None:
        if not self.stopped.done():
            self.stopped.set_result(reason)

    def note_document(self, event: Mapping[str, Any]) -> None:
        """Note that a document was loaded into a frame, which the main frame may do once (see `visit`)."""
        frame = event["frame"]
        if "parentId" in frame:
            return
        self.documents.append(frame["loaderId"])
        self.fragment = frame.get("urlFragment", "") if len(self.documents) == 1 else self.fragment
        if len(self.documents) > 1:
            self.stop(FetchReason.PAGE_LEFT)


async def guard(context: BrowserContext, page: Page, cdp: CDPSession, watch: Watch) -> None:
    async def judge(route: Route, request: Request) -> None:
        with contextlib.suppress(Error):  # the page may be gone by the time we answer
            if is_allowed(page, request, watch):
                await route.continue_()
            else:
                # "aborted" leaves the old document standing; any other reason puts an error page in its place
                await route.abort("aborted")

    await context.route("**/*", judge)
    context.on("page", close_popup)
    page.on("dialog", dismiss)
    page.on("crash", lambda _: watch.stop(FetchReason.PAGE_CRASHED))
    page.on("close", lambda _: watch.stop(FetchReason.PAGE_CRASHED))
    page.on("request", lambda request: note_main_request(page, request, watch))
    page.on("response", lambda response: note_main_response(page, response, watch))
    cdp.on("Page.frameNavigated", watch.note_document)
    await cdp.send("Page.enable")


async def dismiss(dialog: Dialog) -> None:
    with contextlib.suppress(Error):
        await dialog.dismiss()


async def close_popup(popup: Page) -> None:
    with contextlib.suppress(Error):
        await popup.close()


def is_allowed(page: Page, request: Request, watch: Watch) -> bool:
    if is_top_level(request):
        first, watch.main_requested = not watch.main_requested, True
        return first and belongs_to(page, request)
    is_looked_at = watch.order.want_screenshot or watch.order.capture_folder is not None
    return is_looked_at or request.resource_type not in HEAVY_TYPES


def is_top_level(request: Request) -> bool:
    if not request.is_navigation_request():
        return False
    try:
        return request.frame.parent_frame is None
    except Error:  # a popup's first request has no frame yet
        return True


def belongs_to(page: Page, request: Request) -> bool:
    try:
        return request.frame == page.main_frame
    except Error:
        return False


def note_main_request(page: Page, request: Request, watch: Watch) -> None:
    """Follow the main request through its redirects, so that a failure names the hop it happened at."""
    if is_main(page, request, watch):
        watch.main_url = request.url


def note_main_response(page: Page, response: Response, watch: Watch) -> None:
    if is_main(page, response.request, watch):
        watch.status = response.status
        watch.headers = keep_headers(response.headers)


def is_main(page: Page, request: Request, watch: Watch) -> bool:
    return not watch.documents and request.is_navigation_request() and belongs_to(page, request)


def keep_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: headers[name][:MAX_HEADER_CHARS] for name in KEPT_HEADERS if name in headers}
