"""The cookies Kept sets, and a reader for them that takes the same time for every header of the same length.

Python's own reader (3.11.7) takes time by the square of a quoted value's length, and the framework calls it for each
request: 26 s for 120 kB. So a request goes on with the cookies that we set and no others.
"""

import re
from collections.abc import Iterable
from typing import Final

SESSION_COOKIE: Final = "kept_session"
SECURE_SESSION_COOKIE: Final = f"__Host-{SESSION_COOKIE}"
DEVICE_COOKIE: Final = "kept_device"
SECURE_DEVICE_COOKIE: Final = f"__Host-{DEVICE_COOKIE}"
# That somebody signed in on the pages by which an app of wallabag's is set up. It opens nothing.
WALLABAG_COOKIE: Final = "kept_wallabag"
OWN_COOKIES: Final = frozenset(
    {SESSION_COOKIE, SECURE_SESSION_COOKIE, DEVICE_COOKIE, SECURE_DEVICE_COOKIE, WALLABAG_COOKIE}
)
# Our values are made of these; none is quoted.
VALUE: Final = re.compile(r"[A-Za-z0-9_.-]{1,200}")

RawHeaders = list[tuple[bytes, bytes]]


def keep_own_cookies(headers: Iterable[tuple[bytes, bytes]]) -> RawHeaders:
    """The headers of a request, with what is ours of its cookies."""
    kept: RawHeaders = []
    found: dict[str, str] = {}
    for name, value in headers:
        if name == b"cookie":
            found |= read_own_cookies(value.decode("latin-1"))
        else:
            kept.append((name, value))
    if found:
        kept.append((b"cookie", "; ".join(f"{name}={value}" for name, value in found.items()).encode()))
    return kept


def read_own_cookies(header: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in header.split(";"))
    said = ((name.strip(), value.strip()) for name, _, value in pairs)
    return {name: value for name, value in said if name in OWN_COOKIES and VALUE.fullmatch(value)}
