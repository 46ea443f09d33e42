"""Lists of bookmarks: linkding's search strings, and pages by limit and offset."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from fastapi import Request, Response

from kept.compat.answering import PlainJson, base_url, write_url
from kept.compat.fields import Fields
from kept.compat.linkding.answers import ROOT, bookmark_out
from kept.domain.account import Viewer
from kept.domain.imported import clean_tags
from kept.domain.paging import MAX_OFFSET
from kept.domain.synced import SyncFilter, SyncOrder, SyncPage
from kept.services.syncing.lists import list_synced_items
from kept.wiring.server import Kept

MAX_QUERY: Final = 1_000
MAX_ALTERNATIVES: Final = 8
TAG: Final = "tag:"
NO_TAG: Final = "\N{REPLACEMENT CHARACTER}"  # no tag has this name
_PIECE: Final = re.compile(r'"[^"]*+"?|[^\s"]++')


@dataclass(frozen=True, slots=True)
class BookmarkQuery:
    searches: tuple[str, ...] = ()
    """Alternative searches in Kept's own syntax; if there are none, everything is found."""
    is_unread: bool | None = None
    is_tagged: bool | None = None
    tags: tuple[str, ...] = ()
    """Tags that every bookmark must have; if there are alternatives, tags are in the searches."""


def parse_query(text: str) -> BookmarkQuery:
    """Split a query at each `or`, ignoring brackets; the marks !unread and !untagged apply to every part."""
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
    """Take the tags out of the terms: a list by tags is found faster than a search."""
    found = [term for term in terms if term.startswith(TAG)]
    terms[:] = [term for term in terms if not term.startswith(TAG)]
    return tuple(name for term in found for name in clean_tags([term.removeprefix(TAG).strip('"')]) or (NO_TAG,))


def spell_term(word: str) -> str:
    """Write a phrase, a tag or a word so that Kept's search never takes it for an operator."""
    if word.startswith("#") and len(word) > 1:
        return f'{TAG}"{word[1:]}"'
    plain = word.strip('"')
    return f'"{plain}"' if word.startswith(('"', "-", "−")) or ":" in word else plain


# --- pages of a list --------------------------------------------------------------------------------------------------


T = TypeVar("T")

DEFAULT_LIMIT: Final = 100
MOST: Final = 5_000  # linkding's own extension asks for this many tags
ORDERS: Final = {"added": SyncOrder.CREATED, "modified": SyncOrder.CHANGED, "title": SyncOrder.TITLE}
ECHOED: Final = ("q", "sort", "unread", "modified_since", "added_since", "bundle")


@dataclass(frozen=True, slots=True)
class Slice:
    offset: int
    limit: int
    sent: dict[str, str]
    """The query as it was sent, for the links to other pages."""


def parse_slice(fields: Fields) -> Slice:
    limit = min(max(fields.integer("limit") or DEFAULT_LIMIT, 1), MOST)
    offset = min(max(fields.integer("offset") or 0, 0), MAX_OFFSET)
    return Slice(offset, limit, {name: text for name in ECHOED if (text := fields.text(name))})


def parse_filter(fields: Fields, query: BookmarkQuery, *, is_archived: bool) -> SyncFilter:
    unread = {"yes": True, "no": False}.get(fields.text("unread") or "")
    return SyncFilter(
        is_archived=is_archived,
        is_unread=query.is_unread if unread is None else unread,
        is_tagged=query.is_tagged,
        changed_after=fields.moment("modified_since"),
        added_after=fields.moment("added_since"),
        tags=query.tags,
        searches=query.searches,
    )


def parse_page(fields: Fields, part: Slice) -> SyncPage:
    name, _, direction = (fields.text("sort") or "added_desc").rpartition("_")
    order = ORDERS.get(name, SyncOrder.CREATED)
    return SyncPage(order, direction != "asc", part.offset, part.limit)


async def list_bookmarks(
    kept: Kept, viewer: Viewer, fields: Fields, request: Request, *, is_archived: bool
) -> Response:
    part, query = parse_slice(fields), parse_query(fields.text("q") or "")
    wanted, page = parse_filter(fields, query, is_archived=is_archived), parse_page(fields, part)
    found = await list_synced_items(kept.database, viewer, wanted, page)
    path = "/api/bookmarks/archived/" if is_archived else "/api/bookmarks/"
    base = base_url(request, kept, ROOT)

    def write() -> Response:
        return PlainJson(slice_out(part, found.total, [bookmark_out(one) for one in found.items], base + path))

    return await asyncio.to_thread(write)


def empty_list() -> Response:
    return PlainJson({"count": 0, "next": None, "previous": None, "results": []})


def slice_out(part: Slice, total: int, results: list[dict[str, Any]], url: str) -> dict[str, Any]:
    def link(offset: int) -> str:
        return write_url(url, "", {**part.sent, "limit": str(part.limit), "offset": str(offset)})

    after, before = part.offset + part.limit, max(0, part.offset - part.limit)
    return {
        "count": total,
        "next": link(after) if after < total else None,
        "previous": link(before) if part.offset > 0 else None,
        "results": results,
    }


def cut(part: Slice, every: list[T], write: Callable[[T], dict[str, Any]], url: str) -> Response:
    """Return a slice of a list that is all in memory."""
    shown = every[part.offset : part.offset + part.limit]
    return PlainJson(slice_out(replace(part, sent={}), len(every), [write(one) for one in shown], url))
