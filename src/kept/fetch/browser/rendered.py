"""The outcome of a render: `Rendered`, or the gate's own `FetchFailed` with a reason for people."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from pydantic import TypeAdapter

from kept.content.images.format import ImageFormat, Thumbnail, sniff_image
from kept.fetch.browser.messages import MHTML_FILE, PDF_FILE, PNG_FILE, Failed, Seen
from kept.fetch.gate import resolve_refresh
from kept.fetch.outcome import FetchFailed, FetchReason, media_type
from kept.fetch.proxy import ProxyVisit
from kept.subprocesses.frames import Frame, FrameError
from kept.urls.url import NormalisedUrl, parse_url

MAX_THUMBNAIL_BYTES: Final = 2 * 1024 * 1024

_SEEN: Final = TypeAdapter(Seen)
_FAILED: Final = TypeAdapter(Failed)


@dataclass(frozen=True, slots=True)
class RenderTimings:
    """Milliseconds for the page to fall quiet, and from the call to the answer."""

    settle_ms: int
    total_ms: int


@dataclass(frozen=True, slots=True)
class Rendered:
    """A document the browser drew, whatever its HTTP status: callers look at `status` before they keep it."""

    final_url: NormalisedUrl
    """The URL of the main response; where scripts went afterwards does not count."""
    status: int
    headers: Mapping[str, str]
    title: str
    html: str | None = field(repr=False)
    thumbnail: Thumbnail | None = field(repr=False)
    redirects: int
    refusals: Mapping[str, int]
    """What the page asked for and the gate refused, counted by the label of the reason."""
    timings: RenderTimings
    leads_to: NormalisedUrl | None = None
    """The page this one sends its readers to, if it does."""
    captured: tuple[str, ...] = ()
    """The names of the files of the whole page, if they were asked for."""
    captures: Mapping[str, BinaryIO] = field(default_factory=dict, repr=False)
    """The open files of the whole page; whoever asked closes them."""

    @property
    def content_type(self) -> str:
        return media_type(self.headers)


# The beginnings of Chromium's error names; the first that fits counts. What the proxy knows better (a refused
# address, a name that does not exist) has been looked up before.
NET_ERRORS: Final[tuple[tuple[str, FetchReason], ...]] = (
    ("ERR_CERT_", FetchReason.TLS_CERTIFICATE),
    ("ERR_SSL_", FetchReason.TLS_FAILED),
    ("ERR_TOO_MANY_REDIRECTS", FetchReason.TOO_MANY_REDIRECTS),
    ("ERR_UNSAFE_PORT", FetchReason.FORBIDDEN_PORT),
    ("ERR_UNSAFE_REDIRECT", FetchReason.FORBIDDEN_SCHEME),
    ("ERR_UNKNOWN_URL_SCHEME", FetchReason.FORBIDDEN_SCHEME),
    ("ERR_INVALID_REDIRECT", FetchReason.BAD_REDIRECT),
    ("ERR_CONNECTION_", FetchReason.RESET),
    ("ERR_EMPTY_RESPONSE", FetchReason.RESET),
    ("ERR_CONTENT_LENGTH_MISMATCH", FetchReason.INCOMPLETE),
    ("ERR_INCOMPLETE_CHUNKED_ENCODING", FetchReason.INCOMPLETE),
    ("ERR_CONTENT_DECODING_FAILED", FetchReason.BAD_ENCODING),
    ("ERR_TIMED_OUT", FetchReason.READ_TIMED_OUT),
    ("ERR_TUNNEL_CONNECTION_FAILED", FetchReason.UNREACHABLE),
    # not the site's: the browser lost its network process, or our proxy with the worker
    ("ERR_FAILED", FetchReason.BROWSER_FAILED),
    ("ERR_NETWORK_", FetchReason.BROWSER_FAILED),
    ("ERR_PROXY_CONNECTION_FAILED", FetchReason.BROWSER_FAILED),
)


def parse_report(frame: Frame) -> tuple[Seen | Failed, bytes]:
    """Parse the report of the browser process, with the body of its frame; raises `FrameError` if it makes no sense."""
    try:
        report = (_FAILED if "reason" in frame.header else _SEEN).validate_python(frame.header)
    except ValueError as error:
        raise FrameError(f"a report that makes no sense: {error}") from None
    if isinstance(report, Seen) and not is_plausible(report, frame.body):
        raise FrameError("a report whose parts are not what it says")
    return report, frame.body


def is_plausible(seen: Seen, body: bytes) -> bool:
    thumbnail = body[seen.html_bytes :]
    is_image = len(thumbnail) <= MAX_THUMBNAIL_BYTES and sniff_image(thumbnail) is ImageFormat.WEBP
    is_named = set(seen.captured) <= {MHTML_FILE, PNG_FILE, PDF_FILE}
    return 0 <= seen.html_bytes <= len(body) and (is_image or not thumbnail) and is_named


def read_seen(seen: Seen, body: bytes, visit: ProxyVisit, *, want_html: bool, total_ms: int) -> Rendered | FetchFailed:
    final_url = parse_url(seen.final_url)
    if not isinstance(final_url, NormalisedUrl):
        return FetchFailed(FetchReason.BAD_REDIRECT, http_status=seen.status)
    if want_html and visit.is_spent:  # the document may be what was cut short
        return FetchFailed(FetchReason.TOO_LARGE, http_status=seen.status)
    html, thumbnail = body[: seen.html_bytes], body[seen.html_bytes :]
    return Rendered(
        final_url=final_url,
        status=seen.status,
        headers=seen.headers,
        title=seen.title,
        leads_to=resolve_refresh(final_url, seen.refresh),
        html=html.decode(errors="replace") if want_html else None,
        thumbnail=Thumbnail(thumbnail, seen.thumbnail_width, seen.thumbnail_height) if thumbnail else None,
        redirects=seen.redirects,
        refusals=dict(visit.refusals),
        timings=RenderTimings(seen.settle_ms, total_ms),
        captured=seen.captured,
    )


def read_failed(failed: Failed, visit: ProxyVisit) -> FetchFailed:
    """Return why the page failed, as the proxy knows it: Chromium knows only that a hop was not reached."""
    url = parse_url(failed.url)
    if failed.reason is None and isinstance(url, NormalisedUrl) and (url.host, url.port) in visit.failures:
        return visit.failures[url.host, url.port]
    reason = failed.reason or name_net_error(failed.detail)
    return FetchFailed(reason, http_status=failed.status or None, headers=failed.headers)


def name_net_error(detail: str) -> FetchReason:
    _, _, error = detail.partition("net::")
    return next((reason for start, reason in NET_ERRORS if error.startswith(start)), FetchReason.BAD_RESPONSE)
