"""The words by which short texts give themselves away as not being the article: `words/*.toml`, a file a language.

`words/en.toml` says what each list is for; a new language needs a file, and its name in `LANGUAGES`. Each phrase is a
part of a regular expression, in lower case.
"""

import re
import tomllib
from collections.abc import Mapping
from pkgutil import get_data
from typing import Final

LANGUAGES: Final = ("en", "de", "fr", "es", "pt", "it", "nl", "nordic", "pl", "ru", "zh", "ja", "ko", "other")


def load_language(name: str) -> Mapping[str, list[str]]:
    data = get_data(__package__, f"words/{name}.toml")
    assert data is not None
    return tomllib.loads(data.decode())


_LOADED: Final = [load_language(name) for name in LANGUAGES]

# Punctuation, but for the signs that some phrases begin with; passed over once, and not again for each phrase.
_BEFORE: Final = r"(?:[^\w(©]|\((?!c\)))*+"


def any_of(kind: str) -> str:
    """The phrases of one kind in every language."""
    return "|".join(phrase for words in _LOADED for phrase in words.get(kind, ()))


def opens_with(phrases: str) -> re.Pattern[str]:
    return re.compile(rf"{_BEFORE}(?:{phrases})", re.IGNORECASE)


def is_only(phrases: str) -> re.Pattern[str]:
    return re.compile(rf"{_BEFORE}(?:{phrases})\W*+$", re.IGNORECASE)


def holds(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


POINTER: Final = opens_with(any_of("pointers"))
REQUEST: Final = opens_with(any_of("requests"))
REQUEST_WITHIN: Final = holds(any_of("requests_within"))
NEWSLETTER: Final = opens_with(any_of("newsletters"))
ADVERTISEMENT: Final = is_only(any_of("advertisements"))
MARKER: Final = is_only(any_of("markers"))
BUTTON: Final = is_only(any_of("buttons"))
ELSEWHERE: Final = is_only(any_of("elsewhere"))
SIMILAR: Final = is_only(any_of("similar"))
BYLINE: Final = opens_with(any_of("bylines") + r"|©\s?[\w(]")
BREADCRUMB: Final = opens_with(
    rf"(?:{any_of('here')})(?:\s{{0,3}}[:：»›>→]|.{{0,80}}[»›>→])"
    rf"|(?:{any_of('home')})(?:\s{{0,3}}(?:[»›>→]|::)|\s{{1,3}}[/|]\s)\s{{0,3}}\S"
)
CREDIT: Final = opens_with(
    any_of("credits") + r"|\S+@\S+\.\S+$|(?:https?://)?(?:www\.)?(?:twitter|x|facebook|instagram)\.com/\S+$"
)
FOOTER: Final = opens_with(any_of("footers"))
RIGHTS: Final = holds(rf"©|\(c\) ?\d|(?<![a-z])(?:{any_of('rights')})(?![a-z])")
# That a site sets cookies, and that the visitor agrees or gains by it: both, in one short block.
COOKIES: Final = holds(
    rf"(?=.{{0,300}}\b(?:cookies?|informasjonskapsler)\b).{{0,300}}\b(?:{any_of('cookie_owners')})\b"
)
AGREEMENT: Final = holds(rf"\b(?:{any_of('agreements')})")
PRICE: Final = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|£|zł|Kč|kr\b|円|元|USD|EUR)")
# What no date is without: a year, a time of day, or a word that counts back from now.
DATE_MARK: Final = holds(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}:\d\d|\b(?:ago|today|yesterday)\b")
DATE_PARTS: Final = holds(rf"\b(?:{any_of('date_parts')})\b|[\d\W_]+")
# With its day: a year alone may be that of a film.
WHOLE_DATE: Final = re.compile(
    r"(?<!\d)\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d|(?:19|20)\d\d年\d{1,2}月"
    r"|(?<!\d)\d{1,2}\.? [^\W\d]{3,10}\.?,? (?:19|20)\d\d|[^\W\d]{3,10}\.? \d{1,2}, (?:19|20)\d\d"
)
