"""Readeck's search strings: words, "phrases", -not, begin*, and the names of fields, as in title:storm. Every text
means something. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kept.domain.synced import WordField, WordTerm

MAX_TEXT: Final = 1_000
MAX_TERMS: Final = 16
FIELDS: Final = frozenset({*WordField, "label"})
_TERM: Final = re.compile(
    r'(?P<minus>-?)(?:(?P<field>[a-z]{1,10}):(?=[^\s]))?(?:"(?P<phrase>[^"]*+)"?|(?P<word>[^\s"]++))(?P<star>\*?)'
)


@dataclass(frozen=True, slots=True)
class SearchTerm:
    text: str
    field: str | None = None
    """None: anywhere."""
    is_excluded: bool = False
    is_beginning: bool = False
    is_phrase: bool = False


def parse_terms(text: str, field: str | None = None) -> list[SearchTerm]:
    """`field`: what they all are about, whatever they look like."""
    found = (read_term(match, field) for match in _TERM.finditer(text[:MAX_TEXT]))
    return [term for term in found if term.text][:MAX_TERMS]


def read_term(match: re.Match[str], field: str | None) -> SearchTerm:
    named, phrase, word = match["field"], match["phrase"], match["word"] or ""
    is_field = field is None and named in FIELDS
    if named and not is_field:  # a colon in the middle of a word
        word = f"{named}:{word}"
    is_beginning = bool(match["star"]) or word.endswith("*")
    said = word.rstrip("*") if phrase is None else phrase.strip()
    return SearchTerm(said, named if is_field else field, bool(match["minus"]), is_beginning, phrase is not None)


def find_words(terms: Iterable[SearchTerm]) -> tuple[WordTerm, ...]:
    named = (term for term in terms if term.field in list(WordField))
    return tuple(WordTerm(WordField(term.field or ""), term.text, term.is_excluded) for term in named)


def spell_search(terms: Iterable[SearchTerm]) -> str:
    """In Kept's own language; whatever a term looks like, it is no operator there."""
    return " ".join(("-" if term.is_excluded else "") + spell_term(term) for term in terms)


def spell_term(term: SearchTerm) -> str:
    plain = term.text.replace('"', " ")
    if term.is_phrase or ":" in plain or plain.startswith(("-", "\N{MINUS SIGN}")):
        return f'"{plain}"'
    return f"{plain}*" if term.is_beginning else plain
