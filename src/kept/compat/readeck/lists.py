"""What a client asks of a list of bookmarks, parsed from its query. Pure.

Search strings have words, "phrases", -not, begin*, and the names of fields, as in title:storm. No text is an error.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from starlette.datastructures import QueryParams

from kept.compat.fields import parse_flag
from kept.compat.readeck.bookmarks_out import find_id
from kept.compat.readeck.requests import parse_rfc3339
from kept.domain.imported import clean_tags, storable
from kept.domain.paging import MAX_OFFSET
from kept.domain.synced import ReadStatus, SyncFilter, SyncOrder, SyncPage, TagTerm, WordField, WordTerm

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
    """None stands for any field."""
    is_excluded: bool = False
    is_beginning: bool = False
    is_phrase: bool = False


def parse_terms(text: str, field: str | None = None) -> list[SearchTerm]:
    """Parse a search string. With `field`, all terms are about that field, whatever they look like."""
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
    """Write the terms in Kept's search syntax, so that none is taken for an operator."""
    return " ".join(("-" if term.is_excluded else "") + spell_term(term) for term in terms)


def spell_term(term: SearchTerm) -> str:
    plain = term.text.replace('"', " ")
    if term.is_phrase or ":" in plain or plain.startswith(("-", "\N{MINUS SIGN}")):
        return f'"{plain}"'
    return f"{plain}*" if term.is_beginning else plain


# --- lists ------------------------------------------------------------------------------------------------------------


DEFAULT_LIMIT: Final = 50
MAX_LIMIT: Final = 100
MAX_IDS: Final = 2_000
LABEL: Final = "label"
SORTS: Final = {key.value: key for key in SyncOrder if key not in (SyncOrder.CHANGED, SyncOrder.ARCHIVED)}
SORTS_BY_NAME: Final = SORTS | {"domain": SyncOrder.SITE}


def parse_list(query: QueryParams) -> SyncFilter | None:
    """Return None if nothing can be found: there are no photos, videos or collections."""
    if query.get("collection") or (query.getlist("type") and "article" not in query.getlist("type")):
        return None
    terms = list_terms(query)
    labels = [parse_label(term) for term in terms if term.field == LABEL]
    search = spell_search(term for term in terms if term.field is None)
    return SyncFilter(
        is_archived=parse_optional_flag(query, "is_archived"),
        is_favourite=parse_optional_flag(query, "is_marked"),
        has_failed=parse_optional_flag(query, "has_errors"),
        is_tagged=parse_optional_flag(query, "has_labels"),
        is_loaded=parse_optional_flag(query, "is_loaded"),
        added_after=parse_optional_moment(query, "range_start"),
        added_before=parse_optional_moment(query, "range_end"),
        changed_since=parse_optional_moment(query, "updated_since"),
        tags=tuple(label.name for label in labels if is_plain(label)),
        tag_terms=tuple(label for label in labels if not is_plain(label)),
        words=find_words(terms),
        item_ids=parse_ids(query.getlist("id")) if "id" in query else None,
        read_statuses=frozenset(ReadStatus(each) for each in query.getlist("read_status") if each in list(ReadStatus)),
        searches=(search,) if search else (),
    )


def list_terms(query: QueryParams) -> list[SearchTerm]:
    """Return the terms of all fields; `search` may name a field itself, as in `title:storm`."""
    fields = {name.value: name.value for name in WordField} | {"labels": LABEL}
    found = parse_terms(storable(query.get("search", "")))
    for name, field in fields.items():
        found += parse_terms(storable(query.get(name, "")), field)
    return found


def parse_label(term: SearchTerm) -> TagTerm:
    [name] = clean_tags([term.text]) or ("\N{REPLACEMENT CHARACTER}",)  # no tag has this name
    return TagTerm(name, term.is_beginning, term.is_excluded)


def is_plain(label: TagTerm) -> bool:
    return not label.is_beginning and not label.is_excluded


def parse_page(query: QueryParams) -> SyncPage:
    order, is_descending = parse_sort(query.getlist("sort"))
    window = parse_window(query)
    return SyncPage(order, is_descending, window["offset"], window["limit"])


def parse_window(query: QueryParams) -> dict[str, int]:
    limit, offset = parse_count(query.get("limit"), 0), parse_count(query.get("offset"), 0)
    return {"limit": min(limit or DEFAULT_LIMIT, MAX_LIMIT), "offset": min(offset, MAX_OFFSET)}


def parse_count(text: str | None, otherwise: int) -> int:
    """Parse a number. One that is too large is clamped; what is no number counts as missing."""
    if text is None or not text.isascii() or not text.isdecimal():
        return otherwise
    return int(text[:7]) if len(text) <= 7 else MAX_OFFSET


def parse_sort(values: Sequence[str]) -> tuple[SyncOrder, bool]:
    for value in values:
        name = value.strip().lstrip("+-")
        if name in SORTS_BY_NAME:
            return SORTS_BY_NAME[name], value.startswith("-")
    return SyncOrder.CREATED, True


def parse_ids(values: Sequence[str]) -> tuple[UUID, ...]:
    found = (find_id(value) for part in values for value in part.split(","))
    return tuple(dict.fromkeys(key for key in found if key is not None))[:MAX_IDS]


def parse_optional_flag(query: QueryParams, name: str) -> bool | None:
    return parse_flag(query[name]) if name in query else None


def parse_optional_moment(query: QueryParams, name: str) -> datetime | None:
    return parse_rfc3339(query[name].replace(" ", "+")) if query.get(name) else None


def write_paging(url: str, query: QueryParams, limit: int, offset: int, total: int) -> dict[str, str]:
    """Return the headers that say how many there are, and the URLs of the other pages."""
    pages = max(1, -(-total // limit))
    headers = {
        "Total-Count": str(total),
        "Total-Pages": str(pages),
        "Current-Page": str(min(offset // limit + 1, pages)),
    }
    others = [(name, value) for name, value in query.multi_items() if name not in {"limit", "offset"}]
    places = {"first": 0, "last": (pages - 1) * limit}
    places |= {"next": offset + limit} if offset + limit < total else {}
    places |= {"prev": max(0, offset - limit)} if offset else {}
    links = [
        f'<{url}?{urlencode([*others, ("limit", limit), ("offset", place)])}>; rel="{rel}"'
        for rel, place in places.items()
    ]
    # an app that asks for hundreds of ids knows what it asked for; a header of that size would be refused by proxies
    return headers if len(others) > 20 else headers | {"Link": ", ".join(links)}
