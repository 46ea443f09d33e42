"""URLs as they stand in markup: cleaned, made absolute, and only of kinds that are safe to keep.

This is not `kept.urls`, which decides a page's identity; here a URL is only carried on as a browser
would read it.
"""

import re
from typing import Final
from urllib.parse import quote, urljoin

# What the gate accepts; a longer image URL could never be fetched.
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


def clean_url(value: str | None) -> str:
    """Remove what browsers ignore in a URL from an attribute's value."""
    return (value or "").strip(_EDGES).translate(_INNER)


def resolve_http(value: str | None, base_url: str, *, max_length: int = MAX_LINK_URL) -> str | None:
    """Return the absolute http(s) URL that `value` means on a page at `base_url`, or None."""
    url = clean_url(value)
    if not url or len(url) > max_length:
        return None
    url = _slashes(url)
    if _HTTP_SCHEME.match(url):
        # With however many slashes: "https:///host" is a host to a browser, a path to urljoin.
        match = _HTTP.match(_HTTP_SCHEME.sub(r"\1://", url))
    else:
        match = _HTTP.match(_join(base_url, url))
    if match is None:
        return None
    scheme, authority, rest = match.groups()
    resolved = f"{scheme.lower()}://{authority}{_encode(rest or '')}"
    return resolved if len(resolved) <= max_length else None


def resolve_link(value: str | None, base_url: str) -> str | None:
    """Do what `resolve_http` does, and accept mailto: URLs too: no other scheme is allowed in a kept link."""
    url = clean_url(value)
    if _MAILTO.match(url) is None:
        return resolve_http(url, base_url)
    recipient = _encode(url[len("mailto:") :])
    return f"mailto:{recipient}" if 0 < len(recipient) <= MAX_LINK_URL else None


def page_base(url: str, base_href: str | None) -> str:
    """Return the base of relative URLs on the page at `url`: its `<base>` if usable, else itself."""
    return resolve_http(base_href, url) or url


def _slashes(url: str) -> str:
    r"""Turn backslashes before the query into slashes, as browsers do: "\\host" is another host."""
    if "\\" not in url:
        return url
    path = re.match(r"[^?#]*", url)
    end = path.end() if path else 0
    return url[:end].replace("\\", "/") + url[end:]


def _join(base_url: str, url: str) -> str:
    try:
        return urljoin(base_url, url)
    except ValueError:  # an unclosed bracket, say
        return ""


def _encode(part: str) -> str:
    return quote(part, safe=_SAFE, errors="replace") if _UNSAFE.search(part) else part
