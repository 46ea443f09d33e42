"""A URL as a person or a file gives it: the text to keep and to open, and what it means.

The text stays as it was given, its fragment included. Three things are repaired: a missing scheme is added, white space
is escaped, and a user name and password are removed, since they would be kept for good.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from kept.domain.message import Message
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

# What comes before the last @ of the authority, which browsers end at a backslash.
CREDENTIALS: Final = re.compile(r"((?:[a-z][a-z0-9+.-]*:)?//)([^/?#\\]*)@", re.IGNORECASE)
# Matches `ann:secret@example.org/a`, which has no scheme.
BARE_CREDENTIALS: Final = re.compile(
    r"([a-z0-9+.-]+):[^/?#\\@\s]*@(?=[\w-]+(?:\.[\w-]+)+(?::[0-9]+)?(?:[/?#]|$))", re.I
)
# Schemes whose URLs have an @ that ends no password.
AT_SCHEMES: Final = frozenset(
    {"acct", "data", "im", "javascript", "mailto", "mid", "news", "pres", "sip", "sips", "xmpp"}
)
WEB: Final = re.compile(r"(?:https?:)?//", re.IGNORECASE)
# Chinese and Japanese sentences have no space after a URL.
URL_IN_TEXT: Final = re.compile(r"https?://[\w\[][^\s<>\"“”«»，。、；：！？（）《》「」『』【】،؛؟।\u200b\u2060]*+")
SENTENCE_ENDS: Final = ".,;:!?'’*…`"
BRACKETS: Final = {")": "(", "]": "[", "}": "{"}
NO_URL: Final = "This is not a web URL."
TOO_LONG: Final = Message(
    "The URL is too long. %(max_url_length)s characters are the most.", {"max_url_length": f"{MAX_URL_LENGTH:,}"}
)
REJECTIONS: Final[Mapping[UrlRejection, str]] = {
    UrlRejection.EMPTY: "There is no URL.",
    UrlRejection.TOO_LONG: str(TOO_LONG),
    UrlRejection.CONTROL_CHARACTER: "There is a line break, a tab or another control character in the URL.",
    UrlRejection.SPACE: "This is not a web URL: there is a space before its path.",
    UrlRejection.BACKSLASH: "There is a backslash in the URL. Parts of a URL are separated by /.",
    UrlRejection.CREDENTIALS: "This is not a web URL: there is an @ in its host name.",
    UrlRejection.PERCENT_IN_HOST: "This is not a web URL: there is a % in its host name.",
    UrlRejection.BAD_HOST: "This is not a web URL: its host name is not valid.",
    UrlRejection.BAD_PORT: "This is not a web URL: its port is not valid.",
}


class UrlNotice(StrEnum):
    """What was changed in a URL that somebody gave."""

    CREDENTIALS_REMOVED = "credentials_removed"


NOTICES: Final[Mapping[UrlNotice, str]] = {
    UrlNotice.CREDENTIALS_REMOVED: "The user name and password in the URL were removed. Kept doesn't store them.",
}


@dataclass(frozen=True, slots=True)
class GivenUrl:
    text: str
    """The text that an item stores and opens."""
    url: NormalisedUrl | OtherSchemeUrl
    """The URL that is fetched, and by which the page is known."""
    notices: tuple[UrlNotice, ...] = ()

    @property
    def identity(self) -> str:
        """The text by which the page is known, however it was spelt."""
        return str(self.url) if isinstance(self.url, NormalisedUrl) else self.url.text


class UrlInText(NamedTuple):
    """A URL in plain text, such as a note or what an app shares, and where it begins."""

    start: int
    url: str


def parse_given_url(text: str) -> GivenUrl | RejectedUrl:
    """Parse a URL as every save, upload and import stores it, and as every look-up of a saved page does."""
    trimmed = trim(text)
    if len(trimmed) > MAX_URL_LENGTH:
        return RejectedUrl(UrlRejection.TOO_LONG)
    clean = remove_credentials(trimmed)
    url = parse_url(clean)
    if isinstance(url, RejectedUrl):
        return url
    return GivenUrl(spell(clean, url), url, () if clean == trimmed else (UrlNotice.CREDENTIALS_REMOVED,))


def remove_credentials(text: str) -> str:
    """Remove the user name and password; with a scheme that we never open, a user name alone stays."""
    match = CREDENTIALS.match(text)
    if match is not None:
        is_web = WEB.fullmatch(match[1]) is not None
        return match[1] + text[match.end() :] if is_web or ":" in match[2] else text
    bare = BARE_CREDENTIALS.match(text)
    return text if bare is None or bare[1].lower() in AT_SCHEMES else text[bare.end() :]


def spell(text: str, url: NormalisedUrl | OtherSchemeUrl) -> str:
    if isinstance(url, OtherSchemeUrl):
        return url.text
    begin = WEB.match(text)
    return f"{url.scheme}://{SPACE.sub(escape_match, text[begin.end() if begin else 0 :])}"


def list_urls(text: str) -> Iterator[UrlInText]:
    """Return each URL in a text and where it begins."""
    for found in URL_IN_TEXT.finditer(text):
        yield UrlInText(found.start(), trim_end(found[0]))


def trim_end(url: str) -> str:
    """Remove the punctuation that ends the sentence; a bracket that the URL itself opened stays."""
    left, end = Counter(url), len(url)
    while (last := url[end - 1]) in SENTENCE_ENDS or (last in BRACKETS and left[BRACKETS[last]] < left[last]):
        left[last] -= 1
        end -= 1
    return url[:end]


def explain_rejection(reason: UrlRejection) -> str:
    """Tell people why a URL cannot be saved."""
    return REJECTIONS.get(reason, NO_URL)
