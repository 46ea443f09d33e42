"""Parses what somebody typed into a search box; nothing is ever refused. See docs/searching.md.

It knows words, "phrases", -not, tag:, site:, is:, in:highlights, before: and after:. What only looks like an operator
is searched as words.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from kept.content.search.words import LONGEST_TOKEN, fold, list_runs, pair_up, split_run
from kept.domain.errors import InvalidRequest
from kept.domain.item import parse_tag
from kept.urls.host import find_host

# Longer than anybody types; a whole article pasted in is found by its beginning.
MOST_CHARACTERS: Final = 1_000
MOST_TERMS: Final = 16
MOST_RUNS: Final = 64
# Nothing was saved before it, and there are days before it to reckon with.
EARLIEST_DAY: Final = datetime(1970, 1, 1, tzinfo=UTC)

# (a minus) (an operator, if it is followed at once by something) (a phrase, its end quote may be missing, or a word)
_PIECE: Final = re.compile(
    r'(?P<minus>[-−]?)(?:(?P<name>[a-z]+):(?=\S))?(?:["“”„](?P<phrase>[^"“”]*)["“”]?|(?P<word>\S+))'
)
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_HOST: Final = re.compile(r"(?:[a-z]+://)?(?:www\.)?([^/\s:?#]+).*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or several that must follow each other."""

    runs: tuple[tuple[str, bool], ...]
    """The folded words, each with whether its script has no spaces."""
    is_beginning: bool = False
    """Whether somebody is still typing it, or ended it with a star."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens as the index has them. Only the last one may continue in the text."""
        *others, (last, is_spaceless) = self.runs
        before = [token for run, is_paired in others for token in split_run(run, is_spaceless=is_paired)]
        return (*before, *((pair_up(last) or [last]) if is_spaceless else [last]))

    @property
    def is_phrase(self) -> bool:
        """Whether it is several words, rather than one that is long."""
        return len(self.runs) > 1

    @property
    def ends_open(self) -> bool:
        """Whether the last token may continue: it is being typed, or is one character of a script indexed in pairs."""
        run, is_spaceless = self.runs[-1]
        return len(run) == 1 if is_spaceless else self.is_beginning

    @property
    def typed_length(self) -> int:
        return len(self.runs[-1][0])


@dataclass(frozen=True, slots=True)
class SearchQuery:
    wanted: tuple[Term, ...] = ()
    unwanted: tuple[Term, ...] = ()
    tags: tuple[str, ...] = ()
    unwanted_tags: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    unwanted_sites: tuple[str, ...] = ()
    is_unread: bool | None = None
    is_favourite: bool | None = None
    is_archived: bool | None = None
    has_failed: bool | None = None
    in_highlights: bool | None = None
    """Whether words are looked for in one's highlights alone; False finds pages without any."""
    before: datetime | None = None
    after: datetime | None = None

    @property
    def is_empty(self) -> bool:
        return self == SearchQuery()


def parse_search(text: str) -> SearchQuery:
    text = " ".join(text[:MOST_CHARACTERS].split()) + (" " if text[-1:].isspace() else "")
    pieces = list(_PIECE.finditer(text))
    last = next((piece for piece in reversed(pieces) if not narrows(piece)), None)
    query = SearchQuery()
    for piece in pieces:
        is_typing = piece is last and piece["phrase"] is None and not text.endswith(" ")
        query = add_piece(query, piece, is_typing=is_typing)
    return query


def narrows(piece: re.Match[str]) -> bool:
    """Return whether a piece only narrows the search: a word before such pieces still counts as being typed."""
    return bool(piece["minus"]) or (piece["name"] or "") in OPERATORS


def list_unknown_operators(text: str) -> tuple[str, ...]:
    """Return what looks like an operator but was searched as words, such as `author:ann`; not URLs or `std::string`."""
    found: dict[str, None] = {}
    for piece in _PIECE.finditer(" ".join(text[:MOST_CHARACTERS].split())):
        name, value = piece["name"], piece["phrase"] if piece["phrase"] is not None else piece["word"]
        if name is None or value.startswith((":", "//")):
            continue
        read = OPERATORS.get(name)
        if read is None:
            found[f"{name}:"] = None
        elif value.strip() and read(SearchQuery(), value.strip(), True) is None:
            found[f"{name}:{value.strip()}"] = None
    return tuple(found)


def add_piece(query: SearchQuery, piece: re.Match[str], *, is_typing: bool) -> SearchQuery:
    value = piece["phrase"] if piece["phrase"] is not None else piece["word"]
    is_wanted = not piece["minus"]
    read = OPERATORS.get(piece["name"] or "")
    narrowed = read(query, value.strip(), is_wanted) if read else None
    if narrowed is not None:
        return narrowed
    words = value if read is None and piece["name"] is None else f"{piece['name'] or ''} {value}"
    return add_term(query, words, is_wanted, is_typing=is_typing)


def add_term(query: SearchQuery, text: str, is_wanted: bool, *, is_typing: bool) -> SearchQuery:
    term = parse_term(text, is_typing=is_typing)
    if term is None or len(query.wanted) + len(query.unwanted) >= MOST_TERMS:
        return query
    if is_wanted:
        return query if term in query.wanted else replace(query, wanted=(*query.wanted, term))
    # What is left out is a whole word: half of it, still being typed, would leave out too much.
    return replace(query, unwanted=(*query.unwanted, replace(term, is_beginning=text.endswith("*"))))


def parse_term(text: str, *, is_typing: bool) -> Term | None:
    runs = tuple(run for run in list_runs(fold(text)) if run[1] or len(run[0]) <= LONGEST_TOKEN)[:MOST_RUNS]
    return Term(runs, is_typing or text.endswith("*")) if runs else None


# --- operators ------------------------------------------------------------------------------------------------


def narrow_tag(query: SearchQuery, value: str, is_wanted: bool) -> SearchQuery | None:
    try:
        tag = parse_tag(value)
    except InvalidRequest:
        return None
    if is_wanted:
        return replace(query, tags=(*query.tags, tag))
    return replace(query, unwanted_tags=(*query.unwanted_tags, tag))


def narrow_site(query: SearchQuery, value: str, is_wanted: bool) -> SearchQuery | None:
    match = _HOST.fullmatch(value)
    host = find_host(match[1]) if match else None
    if host is None:
        return None
    if is_wanted:
        return replace(query, sites=(*query.sites, host.text))
    return replace(query, unwanted_sites=(*query.unwanted_sites, host.text))


def narrow_state(query: SearchQuery, value: str, is_wanted: bool) -> SearchQuery | None:
    match value.casefold():
        case "unread":
            return replace(query, is_unread=is_wanted)
        case "read":
            return replace(query, is_unread=not is_wanted)
        case "favourite" | "favorite" | "starred":
            return replace(query, is_favourite=is_wanted)
        case "archived":
            return replace(query, is_archived=is_wanted)
        case "failed":
            return replace(query, has_failed=is_wanted)
    return None


def narrow_place(query: SearchQuery, value: str, is_wanted: bool) -> SearchQuery | None:
    return replace(query, in_highlights=is_wanted) if value.casefold() in {"highlights", "highlight"} else None


def narrow_before(query: SearchQuery, value: str, is_wanted: bool) -> SearchQuery | None:
    moment = parse_day(value)
    if moment is None:
        return None
    return replace(query, before=moment) if is_wanted else replace(query, after=moment)


def narrow_after(query: SearchQuery, value: str, is_wanted: bool) -> SearchQuery | None:
    return narrow_before(query, value, not is_wanted)


def parse_day(text: str) -> datetime | None:
    """Parse the beginning of a day, a month or a year."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    try:
        return max(EARLIEST_DAY, datetime(int(match[1]), int(match[2] or 1), int(match[3] or 1), tzinfo=UTC))
    except ValueError:
        return None


OPERATORS: Final[dict[str, Callable[[SearchQuery, str, bool], SearchQuery | None]]] = {
    "tag": narrow_tag,
    "site": narrow_site,
    "is": narrow_state,
    "in": narrow_place,
    "before": narrow_before,
    "after": narrow_after,
}
