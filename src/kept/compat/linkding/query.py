"""linkding's search language: words, "phrases", #tag, !unread, !untagged, and, or, not. Every text means something."""

import re
from dataclasses import dataclass
from typing import Final

from kept.domain.imported import clean_tags

MAX_QUERY: Final = 1_000
MAX_ALTERNATIVES: Final = 8
TAG: Final = "tag:"
NO_TAG: Final = "\N{REPLACEMENT CHARACTER}"  # no tag is called that
_PIECE: Final = re.compile(r'"[^"]*+"?|[^\s"]++')


@dataclass(frozen=True, slots=True)
class BookmarkQuery:
    searches: tuple[str, ...] = ()
    """In Kept's own language; what any of them finds is found. None: everything."""
    is_unread: bool | None = None
    is_tagged: bool | None = None
    tags: tuple[str, ...] = ()
    """All of them; where there are alternatives, tags are in the searches."""


def parse_query(text: str) -> BookmarkQuery:
    """`or` divides searches, whatever brackets say; the marks !unread and !untagged hold for all of them."""
    alternatives: list[list[str]] = [[]]
    marks: set[str] = set()
    negated = False
    for piece in _PIECE.findall(text[:MAX_QUERY]):
        word = piece.strip("()") if not piece.startswith('"') else piece
        match word.lower():
            case "" | "and":
                continue
            case "or":
                alternatives.append([])
            case "not":
                negated = not negated
                continue
            case "!unread" | "!untagged" as mark:
                marks.add(mark)
            case _:
                alternatives[-1].append(("-" if negated else "") + spell_term(word))
        negated = False
    tags = take_tags(alternatives[0]) if len(alternatives) == 1 else ()
    searches = tuple(" ".join(terms) for terms in alternatives if terms)[:MAX_ALTERNATIVES]
    is_unread = True if "!unread" in marks else None
    return BookmarkQuery(searches, is_unread, False if "!untagged" in marks else None, tags)


def take_tags(terms: list[str]) -> tuple[str, ...]:
    """Out of the terms: a list by tags is found sooner than a search."""
    found = [term for term in terms if term.startswith(TAG)]
    terms[:] = [term for term in terms if not term.startswith(TAG)]
    return tuple(name for term in found for name in clean_tags([term.removeprefix(TAG).strip('"')]) or (NO_TAG,))


def spell_term(word: str) -> str:
    """A phrase, a tag, or a word; whatever else it looks like, it is no operator of Kept's."""
    if word.startswith("#") and len(word) > 1:
        return f'{TAG}"{word[1:]}"'
    plain = word.strip('"')
    return f'"{plain}"' if word.startswith(('"', "-", "−")) or ":" in word else plain
