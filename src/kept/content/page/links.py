"""Addresses as they stand in markup: cleaned, made absolute, and only of kinds that are safe to keep.

This is not `kept.urls`, which decides a page's identity; here an address is only carried on as a browser
would read it.
"""

import re
from typing import Final
from urllib.parse import quote, urljoin

# What the gate accepts; a longer image address could never be fetched.
MAX_IMAGE_URL: Final = 2048
# Links are only followed by people's browsers, which take more than that.
MAX_LINK_URL: Final = 8192

_HTTP: Final = re.compile(
    r"""(https?)://
        ((?:[\w.~!$&'()*+,;=%:-]*@)?                # user information, which some old links still carry
         (?:\[[0-9a-f:.]{2,45}\]|[\w.~-]+)          # IPv6, or a name in any script
         (?::\d{0,5})?)
        ([/?\#].*)?\Z""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_HTTP_SCHEME: Final = re.compile("(https?):/*+", re.IGNORECASE)
_MAILTO: Final = re.compile("mailto:", re.IGNORECASE)
# Browsers strip these at both ends and drop tabs and newlines anywhere: "java\nscript:" is one word to them.
_EDGES: Final = "".join(map(chr, range(33)))
_INNER: Final = str.maketrans("", "", "\t\n\r")
# Printable ASCII but what would need escaping in HTML; the percent sign stays, so that encoding twice
# changes nothing.
_SAFE: Final = "!#$%&'()*+,/:;=?@[]~"
_UNSAFE: Final = re.compile(r"[^!#$%&'()*+,/:;=?@\[\]~a-zA-Z0-9_.-]")


def clean_address(value: str | None) -> str:
    """An attribute's value with what browsers ignore in an address taken out."""
    return (value or "").strip(_EDGES).translate(_INNER)


def resolve_http(value: str | None, base_url: str, *, max_length: int = MAX_LINK_URL) -> str | None:
    """The absolute http(s) address that `value` means on a page at `base_url`, or None."""
    address = clean_address(value)
    if not address or len(address) > max_length:
        return None
    address = _slashes(address)
    if _HTTP_SCHEME.match(address):
        # With however many slashes: "https:///host" is a host to a browser, a path to urljoin.
        found = _HTTP.match(_HTTP_SCHEME.sub(r"\1://", address))
    else:
        found = _HTTP.match(_join(base_url, address))
    if found is None:
        return None
    scheme, authority, rest = found.groups()
    resolved = f"{scheme.lower()}://{authority}{_encode(rest or '')}"
    return resolved if len(resolved) <= max_length else None


def resolve_link(value: str | None, base_url: str) -> str | None:
    """Like `resolve_http`, and mailto: addresses too: the only schemes a kept link may have."""
    address = clean_address(value)
    if _MAILTO.match(address) is None:
        return resolve_http(address, base_url)
    recipient = _encode(address[len("mailto:") :])
    return f"mailto:{recipient}" if 0 < len(recipient) <= MAX_LINK_URL else None


def page_base(url: str, base_href: str | None) -> str:
    """What relative addresses on the page at `url` are relative to: its `<base>` if usable, else itself."""
    return resolve_http(base_href, url) or url


def _slashes(address: str) -> str:
    """To a browser a backslash before the query is a slash, so that "\\\\host" is another host."""
    if "\\" not in address:
        return address
    path = re.match(r"[^?#]*", address)
    end = path.end() if path else 0
    return address[:end].replace("\\", "/") + address[end:]


def _join(base_url: str, address: str) -> str:
    try:
        return urljoin(base_url, address)
    except ValueError:  # an unclosed bracket, say
        return ""


def _encode(part: str) -> str:
    return quote(part, safe=_SAFE, errors="replace") if _UNSAFE.search(part) else part
