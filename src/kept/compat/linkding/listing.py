"""Lists of bookmarks, by limit and offset."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from fastapi import Request, Response

from kept.bootstrap import Kept
from kept.compat.answers import PlainJson, base_url, write_url
from kept.compat.fields import Fields
from kept.compat.linkding.bookmark_out import ROOT, bookmark_out
from kept.compat.linkding.query import BookmarkQuery, parse_query
from kept.domain.account import Viewer
from kept.domain.paging import MAX_OFFSET
from kept.domain.synced import SyncFilter, SyncOrder, SyncPage
from kept.services.syncing.lists import list_synced_items

T = TypeVar("T")

DEFAULT_LIMIT: Final = 100
MOST: Final = 5_000  # linkding's own extension asks for so many tags
ORDERS: Final = {"added": SyncOrder.CREATED, "modified": SyncOrder.CHANGED, "title": SyncOrder.TITLE}
ECHOED: Final = ("q", "sort", "unread", "modified_since", "added_since", "bundle")


@dataclass(frozen=True, slots=True)
class Slice:
    offset: int
    limit: int
    sent: dict[str, str]
    """For the links to other pages."""


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
    """A slice of a list that is all in memory."""
    shown = every[part.offset : part.offset + part.limit]
    return PlainJson(slice_out(replace(part, sent={}), len(every), [write(one) for one in shown], url))
