"""What a worker asks of a browser process, and what it hears back. Both ends import this, so nothing heavy is here."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Launch:
    """The browser to start, as the only argument of the visitor program."""

    executable: str
    sandbox: bool
    proxy: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Order:
    """One page to visit. The worker's patience ends a little after `deadline`, by the monotonic clock of both."""

    url: str
    want_html: bool
    want_screenshot: bool
    deadline: float
    settle_seconds: float
    user_agent: str
    proxy: str
    proxy_username: str
    proxy_password: str
    max_html_chars: int


class Trouble(StrEnum):
    """What stopped a visit, as the browser process saw it."""

    NAVIGATION = "navigation"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    MOVED_AWAY = "moved_away"
    TOO_LARGE = "too_large"
    DOWNLOAD = "download"
    BROWSER = "browser"

    @property
    def spoils_the_browser(self) -> bool:
        """After such a visit nobody can say what the browser is still busy with: it is ended."""
        return self in {Trouble.TIMED_OUT, Trouble.CRASHED, Trouble.BROWSER}


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


@dataclass(frozen=True, slots=True)
class Failed:
    """The page was not drawn. `url` is the URL the browser was at; `detail` holds Chromium's error."""

    trouble: Trouble
    url: str
    detail: str
    status: int
    headers: dict[str, str]
