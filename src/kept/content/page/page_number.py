"""Page numbers of an article in several parts: in URLs, in titles, and where the article goes on. No parser here."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from kept.urls.url import NormalisedUrl

# As sites write it in URLs, in the languages whose word is not "page".
WORDS: Final = (
    "page|pages|pag|pg|p|paged|pagenum|pageno|page_no|pagenumber|currentpage|pagewanted|seite|pagina|sida|side|sivu"
    "|strona|stranka|stranica|oldal|sayfa|halaman|trang"
)
# No article has a thousand pages; a longer number is an id or a date.
_SEGMENT: Final = re.compile(rf"(?:({WORDS})[-_]?)?(\d{{1,3}})", re.IGNORECASE | re.ASCII)
_SUFFIX: Final = re.compile(rf"([^/]+?)[-_,.](?:({WORDS})[-_]?)?(\d{{1,3}})(\.[a-z]{{2,5}})?", re.IGNORECASE | re.ASCII)
_WORD: Final = re.compile(WORDS, re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d{1,3}", re.ASCII)
_INDEX: Final = re.compile(r"/(?:index\.[a-z]{2,5})?\Z", re.IGNORECASE | re.ASCII)
# Parameters that tell where somebody came from, which the site's own links do not repeat.
_TRACKING: Final = re.compile(r"utm_\w*|fbclid|gclid|mc_[ce]id|ref", re.IGNORECASE)

Stem = tuple[str, int, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class NumberedUrl:
    """A reading of a URL: as page `number` of what the rest of it names."""

    stem: Stem
    number: int
    is_plain: bool = False
    """Whether the number follows the last word (`/story-2`), where it may tell two articles of one title apart."""


def follow(current: NormalisedUrl, candidate: NormalisedUrl) -> NumberedUrl | None:
    """Return how `candidate` is the next page after `current`; None where it is not."""
    before = {(read.stem, read.number) for read in read_numbers(current)}
    return next((read for read in read_numbers(candidate) if (read.stem, read.number - 1) in before), None)


def is_page_of(current: NormalisedUrl, candidate: NormalisedUrl, number: int) -> bool:
    """Return whether `candidate` is page `number` of what `current` is a page of."""
    stems = {read.stem for read in read_numbers(current)}
    return any(read.stem in stems and read.number == number for read in read_numbers(candidate))


def read_numbers(url: NormalisedUrl) -> list[NumberedUrl]:
    """Return each way to read a URL; without any number it is page one."""
    query = _query_of(url)
    readings = [NumberedUrl(_stem(url, url.path, query), 1)]
    for name, value in query:
        if _WORD.fullmatch(name) and _NUMBER.fullmatch(value):
            rest = tuple(pair for pair in query if pair != (name, value))
            readings.append(NumberedUrl(_stem(url, url.path, rest), int(value)))
    return readings + _read_path(url, query)


def _read_path(url: NormalisedUrl, query: tuple[tuple[str, str], ...]) -> list[NumberedUrl]:
    parent, _, last = url.path.rstrip("/").rpartition("/")
    if segment := _SEGMENT.fullmatch(last):
        above, _, word = parent.rpartition("/")
        path = above if segment[1] is None and _WORD.fullmatch(word) else parent
        return [NumberedUrl(_stem(url, path, query), int(segment[2]))]
    if suffix := _SUFFIX.fullmatch(last):
        name, word, number, extension = suffix.groups()
        path = f"{parent}/{name}{extension or ''}"
        return [NumberedUrl(_stem(url, path, query), int(number), is_plain=word is None)]
    return []


def _stem(url: NormalisedUrl, path: str, query: tuple[tuple[str, str], ...]) -> Stem:
    return url.host.removeprefix("www."), url.port, _INDEX.sub("", path), query


def _query_of(url: NormalisedUrl) -> tuple[tuple[str, str], ...]:
    pairs = parse_qsl(url.query or "", keep_blank_values=True)
    return tuple(sorted(pair for pair in pairs if not _TRACKING.fullmatch(pair[0])))


# Between the number of a page and the number of all: "page 1 of 5", "Seite 1 von 5", "1/5".
OF: Final = r"\s{0,3}(?:of|von|de|di|av|af|z|van|sur|/)\s{0,3}"
_MAX_TITLE: Final = 1_000
_TITLE_NUMBER: Final = re.compile(
    rf"[\s(\[|–—,:-]{{0,5}}\b(?:{WORDS})\s{{0,3}}\d{{1,3}}(?:{OF}\d{{1,3}})?\b|[\s(\[|–—-]{{1,5}}\d{{1,3}}/\d{{1,3}}\b",
    re.IGNORECASE,
)
_TITLE_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class NextPage:
    """The next page of an article."""

    url: str
    number: int | None = None
    """Its number; None where a site rule names the link."""
    last: int | None = None
    """The highest page number that this page names."""
    is_sure: bool = True
    """Whether the page's own numbers, or a rule, prove it; otherwise the next page must have the same title."""


def has_same_title(one: str | None, other: str | None) -> bool:
    """Return whether two titles are the same, but for a page number that sites add."""
    words = _title_words(one)
    return bool(words) and words == _title_words(other)


def _title_words(title: str | None) -> list[str]:
    return _TITLE_WORD.findall(_TITLE_NUMBER.sub("", (title or "")[:_MAX_TITLE]).casefold())
