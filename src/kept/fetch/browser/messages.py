"""The messages between a worker and a browser process. Both ends import this, so that nothing heavy is here."""

from dataclasses import dataclass
from typing import Final

from kept.fetch.outcome import FetchReason

# After such a visit nobody can say what the browser is still busy with: it is ended.
SPOILING_REASONS: Final = frozenset(
    {FetchReason.RENDER_TIMED_OUT, FetchReason.PAGE_CRASHED, FetchReason.BROWSER_FAILED}
)


# Files of a whole page.
MHTML_FILE, PNG_FILE, PDF_FILE = "page.mhtml", "page.png", "page.pdf"


@dataclass(frozen=True, slots=True)
class Order:
    """A page to visit. The worker waits until a little after `deadline`, by the monotonic clock of both."""

    url: str
    want_html: bool
    want_screenshot: bool
    deadline: float
    settle_seconds: float
    user_agent: str
    max_html_chars: int
    proxy: str
    proxy_username: str
    proxy_password: str
    capture_folder: str | None = None
    """The folder for files of the whole page, if they are wanted."""
    max_capture_bytes: int = 0
    """The most bytes of each file."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The page was drawn. The frame's body is its HTML, then its thumbnail, as far as they were asked for."""

    final_url: str
    status: int
    headers: dict[str, str]
    title: str
    redirects: int
    settle_ms: int
    html_bytes: int
    thumbnail_width: int
    thumbnail_height: int
    refresh: str | None = None
    """The URL to which the response itself refreshes, as it is written; what scripts add does not count."""
    captured: tuple[str, ...] = ()
    """The names of the files that were written."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The page was not drawn. `url` is the URL the browser was at."""

    reason: FetchReason | None
    """The reason; None if the navigation failed: Chromium's error is then in `detail`."""
    url: str
    detail: str
    status: int
    headers: dict[str, str]
