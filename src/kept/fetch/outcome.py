"""The outcome of a fetch: `Fetched` or `FetchFailed`, both values. Callers of the gate match on these."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import BinaryIO, Final, NamedTuple

from kept.content.page.kinds import MESSAGES as FILE_MESSAGES
from kept.domain.attempt import TRANSIENT_STATUSES, limit_wait
from kept.domain.failures import FailureCode
from kept.domain.message import Message
from kept.urls.address import AddressReason, HostReason
from kept.urls.url import NormalisedUrl

# What comes with these may be a login or a robot check; with any other error status it is an error page.
WALL_STATUSES: Final = frozenset({401, 402, 403, 407, 429, 503})


class FetchReason(StrEnum):
    """Why there is no page. Each is a label of its own in the metrics."""

    FORBIDDEN_ADDRESS = "forbidden_address"
    FORBIDDEN_NAME = "forbidden_name"
    FORBIDDEN_PORT = "forbidden_port"
    FORBIDDEN_SCHEME = "forbidden_scheme"
    NO_SUCH_NAME = "no_such_name"
    DNS_FAILED = "dns_failed"
    DNS_TIMED_OUT = "dns_timed_out"
    CONNECT_TIMED_OUT = "connect_timed_out"
    READ_TIMED_OUT = "read_timed_out"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    RESET = "reset"
    TLS_CERTIFICATE = "tls_certificate"
    TLS_FAILED = "tls_failed"
    BAD_RESPONSE = "bad_response"
    HEADERS_TOO_LARGE = "headers_too_large"
    BAD_ENCODING = "bad_encoding"
    INCOMPLETE = "incomplete"
    TOO_LARGE = "too_large"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    BAD_REDIRECT = "bad_redirect"
    HTTP_STATUS = "http_status"
    UNSUPPORTED_CONTENT = "unsupported_content"
    RENDER_TIMED_OUT = "render_timed_out"
    PAGE_CRASHED = "page_crashed"
    PAGE_LEFT = "page_left"
    OUT_OF_MEMORY = "out_of_memory"
    BROWSER_FAILED = "browser_failed"
    NO_BROWSER = "no_browser"
    BUSY = "busy"


FORBIDDEN: Final = frozenset(
    {
        FetchReason.FORBIDDEN_ADDRESS,
        FetchReason.FORBIDDEN_NAME,
        FetchReason.FORBIDDEN_PORT,
        FetchReason.FORBIDDEN_SCHEME,
    }
)
# These are worth another attempt: time-outs and network errors; for HTTP statuses see TRANSIENT_STATUSES.
TRANSIENT: Final = frozenset(
    {
        FetchReason.DNS_FAILED,
        FetchReason.DNS_TIMED_OUT,
        FetchReason.CONNECT_TIMED_OUT,
        FetchReason.READ_TIMED_OUT,
        FetchReason.REFUSED,
        FetchReason.UNREACHABLE,
        FetchReason.RESET,
        FetchReason.TLS_FAILED,
        FetchReason.INCOMPLETE,
        FetchReason.BUSY,
        FetchReason.RENDER_TIMED_OUT,
        FetchReason.PAGE_CRASHED,  # it may have been the kernel, short of memory for a moment
        FetchReason.BROWSER_FAILED,
    }
)
# Messages for people. None says which address was refused, nor why: that would map the network for whoever asks.
MESSAGES: Final[Mapping[FetchReason, str]] = {
    FetchReason.FORBIDDEN_ADDRESS: "This URL may not be fetched.",
    FetchReason.FORBIDDEN_NAME: "This URL may not be fetched.",
    FetchReason.FORBIDDEN_PORT: "This port may not be fetched from.",
    FetchReason.FORBIDDEN_SCHEME: "The page leads to something that is not a web page.",
    FetchReason.NO_SUCH_NAME: "There is no site of this name.",
    FetchReason.DNS_FAILED: "The site's name could not be looked up.",
    FetchReason.DNS_TIMED_OUT: "The site's name could not be looked up in time.",
    FetchReason.CONNECT_TIMED_OUT: "The site could not be reached in time.",
    FetchReason.READ_TIMED_OUT: "The site did not answer in time.",
    FetchReason.REFUSED: "The site refused the connection.",
    FetchReason.UNREACHABLE: "The site could not be reached.",
    FetchReason.RESET: "The site broke off the connection.",
    FetchReason.TLS_CERTIFICATE: "The site's certificate is not valid.",
    FetchReason.TLS_FAILED: "A secure connection to the site could not be made.",
    FetchReason.BAD_RESPONSE: "The site's answer could not be understood.",
    FetchReason.HEADERS_TOO_LARGE: "The site's answer could not be understood.",
    FetchReason.BAD_ENCODING: "The page could not be decompressed.",
    FetchReason.INCOMPLETE: "The page broke off before its end.",
    FetchReason.TOO_LARGE: "The page is too large.",
    FetchReason.TOO_MANY_REDIRECTS: "The page redirects too often.",
    FetchReason.BAD_REDIRECT: "The page redirects to something that is not an address.",
    FetchReason.HTTP_STATUS: "The site answered with an error.",
    FetchReason.UNSUPPORTED_CONTENT: "This is not a web page.",
    FetchReason.RENDER_TIMED_OUT: "The page was not drawn in time.",
    FetchReason.PAGE_CRASHED: "The page made the browser crash.",
    FetchReason.PAGE_LEFT: "The page went elsewhere before it could be read.",
    FetchReason.OUT_OF_MEMORY: "The page needs too much memory.",
    FetchReason.BROWSER_FAILED: "The browser could not be used.",
    FetchReason.NO_BROWSER: "There is no browser on this server.",
    FetchReason.BUSY: "Too many pages are being fetched at once.",
}
# All other reasons are FETCH_FAILED, except forbidden addresses and kinds of content: see `code`.
CODES: Final[Mapping[FetchReason, FailureCode]] = {
    FetchReason.RENDER_TIMED_OUT: FailureCode.INGEST_TIMEOUT,
    FetchReason.PAGE_CRASHED: FailureCode.INGEST_FAILED,
    FetchReason.OUT_OF_MEMORY: FailureCode.INGEST_FAILED,
    FetchReason.BROWSER_FAILED: FailureCode.INGEST_FAILED,
    FetchReason.NO_BROWSER: FailureCode.INGEST_FAILED,
}
MISMATCHED_KINDS: Final[Mapping[str, FailureCode]] = {
    "application/pdf": FailureCode.FETCH_KIND_MISMATCH_PDF,
    "application/x-pdf": FailureCode.FETCH_KIND_MISMATCH_PDF,
    "application/epub+zip": FailureCode.FETCH_KIND_MISMATCH_EPUB,
}


class Hop(NamedTuple):
    """One request on the way to a page, for `kept fetch` only: a hop may be somebody's private link."""

    url: NormalisedUrl
    address: str | None
    status: int | None
    ms: float


@dataclass(frozen=True, slots=True)
class FetchFailed:
    """Why there is no page, with what had come: the beginning of an error page, or of a page that broke off."""

    reason: FetchReason
    blocked: AddressReason | HostReason | None = None
    http_status: int | None = None
    retry_after_seconds: float | None = None
    """How long the site asked us to stay away, at most ten minutes."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)
    hops: tuple[Hop, ...] = field(default=(), repr=False)
    total_ms: float = 0.0

    @property
    def code(self) -> FailureCode:
        if self.reason in FORBIDDEN:
            return FailureCode.FETCH_FORBIDDEN
        if self.reason is FetchReason.UNSUPPORTED_CONTENT:
            return MISMATCHED_KINDS.get(self.content_type, FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE)
        return CODES.get(self.reason, FailureCode.FETCH_FAILED)

    @property
    def is_transient(self) -> bool:
        """Whether trying again by ourselves makes sense."""
        if self.reason is FetchReason.HTTP_STATUS:
            return self.http_status in TRANSIENT_STATUSES
        return self.reason in TRANSIENT

    @property
    def partial_page(self) -> bytes:
        """The part of the page itself that came before it stalled or broke off."""
        return b"" if self.reason is FetchReason.HTTP_STATUS else self.body

    @property
    def final_url(self) -> NormalisedUrl | None:
        """The URL of the last request that was made."""
        return self.hops[-1].url if self.hops else None

    @property
    def message(self) -> str:
        if self.reason is FetchReason.HTTP_STATUS:
            return str(say_status(self.http_status))
        return FILE_MESSAGES.get(self.code) or MESSAGES[self.reason]

    @property
    def label(self) -> str:
        """The label of the reason in the metrics: for a refusal, the kind of address or name."""
        return self.reason if self.blocked is None else self.blocked

    @property
    def redirects(self) -> int:
        return max(len(self.hops) - 1, 0)

    @property
    def content_type(self) -> str:
        return media_type(self.headers)


class Timings(NamedTuple):
    """Milliseconds from the call: until the last answer's headers were there, and until its body was."""

    headers_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True)
class Fetched:
    """A 2xx answer with its whole body, decoded; with `truncated`, only as much of it as was asked for."""

    final_url: NormalisedUrl
    status: int
    headers: Mapping[str, str]
    """Names in lower case, `set-cookie` left out."""
    body: bytes = field(repr=False)
    hops: tuple[Hop, ...] = field(repr=False)
    timings: Timings
    truncated: bool = False
    file: BinaryIO | None = field(default=None, repr=False)
    """The whole file, of which `body` is only the beginning. Whoever asked closes it."""

    @property
    def redirects(self) -> int:
        return len(self.hops) - 1

    @property
    def content_type(self) -> str:
        return media_type(self.headers)


FetchOutcome = Fetched | FetchFailed


def media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def say_status(status: int | None) -> Message:
    return Message("The site answered with an error (%(http_status)s).", {"http_status": status})


def find_retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the wait that a Retry-After header asks for, in seconds or as a date; at most ten minutes."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdecimal():
        return limit_wait(float(text))
    at = find_date(text)
    if at is None:
        return None
    # The site's own clock counts where it is sent: ours or theirs may be wrong.
    site_now = find_date(headers.get("date", "")) or now
    return limit_wait((at - site_now).total_seconds())


def find_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)
