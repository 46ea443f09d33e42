"""A URL as a person or a file gives it: the text to keep and to open, and what it means.

The text stays as it was given, its fragment included. Three things are repaired: a scheme is added where there is
none, white space is escaped, and a user name and password are removed, for they would be kept for good.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kept.urls.escaping import escape_match
from kept.urls.url import (
    MAX_URL_LENGTH,
    SPACE,
    NormalisedUrl,
    OtherSchemeUrl,
    RejectedUrl,
    UrlRejection,
    parse_url,
    trim,
)

# What comes before the last @ of the authority. Not past a backslash, where browsers end the authority.
CREDENTIALS: Final = re.compile(r"((?:[a-z][a-z0-9+.-]*:)?//)([^/?#\\]*)@", re.IGNORECASE)
# `ann:secret@example.org/a` without a scheme.
BARE_CREDENTIALS: Final = re.compile(
    r"([a-z0-9+.-]+):[^/?#\\@\s]*@(?=[\w-]+(?:\.[\w-]+)+(?::[0-9]+)?(?:[/?#]|$))", re.I
)
# Schemes of which an @ is a part without being a password's.
AT_SCHEMES: Final = frozenset(
    {"acct", "data", "im", "javascript", "mailto", "mid", "news", "pres", "sip", "sips", "xmpp"}
)
WEB: Final = re.compile(r"(?:https?:)?//", re.IGNORECASE)


class UrlNotice(StrEnum):
    """What was changed in a URL that somebody gave."""

    CREDENTIALS_REMOVED = "credentials_removed"


@dataclass(frozen=True, slots=True)
class GivenUrl:
    text: str
    """What an item keeps and opens."""
    url: NormalisedUrl | OtherSchemeUrl
    """What is fetched, and by which the page is known."""
    notices: tuple[UrlNotice, ...] = ()


def parse_given_url(text: str) -> GivenUrl | RejectedUrl:
    trimmed = trim(text)
    if len(trimmed) > MAX_URL_LENGTH:
        return RejectedUrl(UrlRejection.TOO_LONG)
    clean = remove_credentials(trimmed)
    url = parse_url(clean)
    if isinstance(url, RejectedUrl):
        return url
    return GivenUrl(spell(clean, url), url, () if clean == trimmed else (UrlNotice.CREDENTIALS_REMOVED,))


def remove_credentials(text: str) -> str:
    """Without the user name and password; of a scheme that we never open, a user name alone stays."""
    found = CREDENTIALS.match(text)
    if found is not None:
        is_web = WEB.fullmatch(found[1]) is not None
        return found[1] + text[found.end() :] if is_web or ":" in found[2] else text
    bare = BARE_CREDENTIALS.match(text)
    return text if bare is None or bare[1].lower() in AT_SCHEMES else text[bare.end() :]


def spell(text: str, url: NormalisedUrl | OtherSchemeUrl) -> str:
    if isinstance(url, OtherSchemeUrl):
        return url.text
    begin = WEB.match(text)
    return f"{url.scheme}://{SPACE.sub(escape_match, text[begin.end() if begin else 0 :])}"
