"""Untrusted text becomes a `NormalisedUrl`, or the reason why not. Nothing else makes a `NormalisedUrl`."""

import re
from dataclasses import InitVar, dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final

from kept.urls.escaping import escape_fragment, escape_path, escape_query, escape_stray_bytes
from kept.urls.host import Host, IPAddress, find_host

MAX_URL_LENGTH: Final = 2048
DEFAULT_PORTS: Final = {"http": 80, "https": 443}
# These characters come along when text is copied from web pages and chat programs; nobody means them.
INVISIBLE: Final = "\ufeff\u200b\u2060"

# Matches nearly every URL at once: it has no control characters, spaces or backslashes.
PLAIN: Final = re.compile(rf"[!-\[\]-~]{{1,{MAX_URL_LENGTH}}}")
# Surrogates are half a character: text that contains one can be neither sent nor stored.
CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
SPACE: Final = re.compile(r"\s")
SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):(.*)", re.IGNORECASE | re.DOTALL)
PORT_THEN_PATH: Final = re.compile(r"[0-9]{1,5}(?:[/?#].*)?", re.DOTALL)
# After these schemes there may be only digits; any other `word:8080` is a host and its port.
NUMBERED_SCHEMES: Final = frozenset({"tel", "sms", "fax", "callto"})
AUTHORITY_END: Final = re.compile(r"[/?#]")
ROUTE: Final = re.compile(r"[/!]+[^/!]")
AUTHORITY: Final = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::([0-9]*))?")

_SEAL: Final = object()


class UrlRejection(StrEnum):
    """Why a text is not a web URL."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    CONTROL_CHARACTER = "control_character"
    SPACE = "space"
    BACKSLASH = "backslash"
    CREDENTIALS = "credentials"
    PERCENT_IN_HOST = "percent_in_host"
    BAD_HOST = "bad_host"
    BAD_PORT = "bad_port"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class NormalisedUrl:
    """A web URL in its one spelling, which `str()` gives. Made by this module only."""

    text: str
    scheme: str = field(compare=False)
    host: str = field(compare=False)
    """Lower-case ASCII, an IPv6 address without brackets."""
    port: int = field(compare=False)
    path: str = field(compare=False)
    query: str | None = field(compare=False)
    route: str | None = field(compare=False)
    """The fragment, if it names another page (`#/…`, `#!…`), which a script draws and no fetch returns."""
    address: IPAddress | None = field(compare=False)
    """Set if the host is an address and not a name."""
    seal: InitVar[object] = None

    def __post_init__(self, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("a NormalisedUrl is made by parse_url, join_url or get_url")

    def __str__(self) -> str:
        return self.text

    @property
    def origin(self) -> str:
        return self.text[: self.text.index("/", len(self.scheme) + len("://"))]


@dataclass(frozen=True, slots=True)
class RejectedUrl:
    """Text that is not a URL we could ever fetch."""

    reason: UrlRejection


@dataclass(frozen=True, slots=True)
class OtherSchemeUrl:
    """Something like a URL, of a kind that is kept as text and never fetched or linked: `mailto:`, `ftp:`."""

    scheme: str
    text: str


ParsedUrl = NormalisedUrl | RejectedUrl | OtherSchemeUrl


def parse_url(text: str) -> ParsedUrl:
    """Parse what a person typed or pasted. Without a scheme it is taken for https."""
    trimmed = trim(text)
    fault = find_fault(trimmed)
    if fault is not None:
        return RejectedUrl(fault)
    if trimmed.startswith("//"):
        return parse_web_url("https", trimmed[2:])
    scheme, rest = split_scheme(trimmed)
    if scheme is None:
        return parse_bare_url(trimmed)
    return parse_with_scheme(scheme, rest, trimmed)


def trim(text: str) -> str:
    return text.strip().strip(INVISIBLE)


@lru_cache(maxsize=64)  # an ingestion asks for the same URL several times
def get_url(text: str) -> NormalisedUrl:
    """Parse text that was normalised before, such as a row of the database; anything else is a bug."""
    url = parse_url(text)
    if not isinstance(url, NormalisedUrl):
        raise ValueError(f"not a normalised URL: {text!r}")
    return url


def join_url(base: NormalisedUrl, reference: str) -> ParsedUrl:
    """Return where a redirect's Location (or a link) on `base` leads. Spaces are accepted: servers are careless. A
    redirect that names no fragment keeps that of `base`, as in browsers."""
    reference = escape_stray_bytes(reference.strip().replace(" ", "%20"))
    fault = find_fault(reference)
    if fault is not None:
        return base if fault is UrlRejection.EMPTY else RejectedUrl(fault)
    target = join_reference(base, reference)
    if base.route is None or "#" in reference or not isinstance(target, NormalisedUrl):
        return target
    return with_route(target, base.route)


def join_reference(base: NormalisedUrl, reference: str) -> ParsedUrl:
    scheme = SCHEME.fullmatch(reference)
    if scheme is not None:
        return parse_with_scheme(scheme[1].lower(), scheme[2], reference)
    if reference.startswith("//"):
        return parse_web_url(base.scheme, reference[2:])
    return finish_web_url(base.scheme, Host(base.host, base.address), base.port, join_path(base, reference))


def with_route(url: NormalisedUrl, route: str) -> NormalisedUrl | RejectedUrl:
    text = f"{url.text}#{route}"
    if len(text) > MAX_URL_LENGTH:
        return RejectedUrl(UrlRejection.TOO_LONG)
    return replace(url, text=text, route=route, seal=_SEAL)


def join_path(base: NormalisedUrl, reference: str) -> str:
    match reference[0]:
        case "/":
            return reference
        case "?":
            return base.path + reference
        case "#":
            return base.path if base.query is None else f"{base.path}?{base.query}"
        case _:
            return base.path[: base.path.rindex("/") + 1] + reference


def find_fault(text: str) -> UrlRejection | None:
    if PLAIN.fullmatch(text):
        return None
    if not text:
        return UrlRejection.EMPTY
    if len(text) > MAX_URL_LENGTH:
        return UrlRejection.TOO_LONG
    if CONTROL.search(text):
        return UrlRejection.CONTROL_CHARACTER
    return UrlRejection.BACKSLASH if "\\" in text.partition("#")[0] else None


def split_scheme(text: str) -> tuple[str | None, str]:
    """Split off the scheme: `example.com:8080/x` has none, `mailto:a@example.com` has one."""
    match = SCHEME.fullmatch(text)
    if match is None:
        return None, text
    scheme, rest = match[1].lower(), match[2]
    if PORT_THEN_PATH.fullmatch(rest) and scheme not in NUMBERED_SCHEMES:
        return None, text
    return scheme, rest


def parse_with_scheme(scheme: str, rest: str, text: str) -> ParsedUrl:
    if scheme not in DEFAULT_PORTS:
        return parse_other_scheme(scheme, rest, text)
    if not rest.startswith("//"):
        return RejectedUrl(UrlRejection.MALFORMED)
    return parse_web_url(scheme, rest[2:])


def parse_other_scheme(scheme: str, rest: str, text: str) -> ParsedUrl:
    """Parse text with another scheme; `Remember: buy milk` is no URL."""
    if not rest:
        return RejectedUrl(UrlRejection.MALFORMED)
    return RejectedUrl(UrlRejection.SPACE) if SPACE.search(text) else OtherSchemeUrl(scheme, text)


def parse_bare_url(text: str) -> ParsedUrl:
    """Parse text without a scheme. A single word is no URL: a host on one's network needs a scheme or a port."""
    url = parse_web_url("https", text)
    if not isinstance(url, NormalisedUrl) or url.address is not None or "." in url.host or url.port != 443:
        return url
    return url if url.host == "localhost" else RejectedUrl(UrlRejection.MALFORMED)


def parse_web_url(scheme: str, rest: str) -> ParsedUrl:
    """Parse a URL from `rest`, which follows `//`: authority, path, query and fragment."""
    authority = AUTHORITY_END.split(rest, maxsplit=1)[0]
    parsed = parse_authority(authority)
    if isinstance(parsed, RejectedUrl):
        return parsed
    host, port = parsed
    return finish_web_url(scheme, host, port, rest[len(authority) :])


def finish_web_url(scheme: str, host: Host, port: int | None, rest: str) -> ParsedUrl:
    """Make a URL from `rest`, which follows the authority: path, query and fragment."""
    before, _, fragment = rest.partition("#")
    path, mark, query = before.partition("?")
    return seal(scheme, host, port, escape_path(path), escape_query(query) if mark else None, find_route(fragment))


def find_route(fragment: str) -> str | None:
    """Return a fragment that names a page (`/guide`, `!guide`; not `/` alone), without browsers' own part (`:~:…`)."""
    route = fragment.partition(":~:")[0]
    return escape_fragment(route) if ROUTE.match(route) else None


def parse_authority(authority: str) -> tuple[Host, int | None] | RejectedUrl:
    if SPACE.search(authority):
        return RejectedUrl(UrlRejection.SPACE)
    if "@" in authority:
        return RejectedUrl(UrlRejection.CREDENTIALS)
    if "%" in authority:
        return RejectedUrl(UrlRejection.PERCENT_IN_HOST)
    parts = AUTHORITY.fullmatch(authority)
    if parts is None:
        is_host_whole = ":" in authority and not ("[" in authority and "]" not in authority)
        return RejectedUrl(UrlRejection.BAD_PORT if is_host_whole else UrlRejection.BAD_HOST)
    host = find_host(parts[1])
    if host is None:
        return RejectedUrl(UrlRejection.BAD_HOST)
    port = int(parts[2]) if parts[2] else None
    if port is not None and not 0 < port < 65536:
        return RejectedUrl(UrlRejection.BAD_PORT)
    return host, port


def seal(scheme: str, host: Host, port: int | None, path: str, query: str | None, route: str | None) -> ParsedUrl:
    default = DEFAULT_PORTS[scheme]
    shown_port = "" if port in (None, default) else f":{port}"
    shown_query = "" if query is None else f"?{query}"
    shown_route = "" if route is None else f"#{route}"
    text = f"{scheme}://{host}{shown_port}{path}{shown_query}{shown_route}"
    if len(text) > MAX_URL_LENGTH:
        return RejectedUrl(UrlRejection.TOO_LONG)
    return NormalisedUrl(text, scheme, host.text, port or default, path, query, route, host.address, _SEAL)
