"""What a client asks of a list of bookmarks, read from its query. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from kept.compat.readeck.bodies import clean, parse_flag, parse_moment
from kept.compat.readeck.ids import find_id
from kept.domain.errors import InvalidRequest
from kept.domain.item import parse_tag
from kept.domain.item_filter import ItemFilter
from kept.domain.offset_list import MAX_OFFSET, OffsetList, OffsetPage, ReadStatus, SortKey

DEFAULT_LIMIT: Final = 50
MAX_LIMIT: Final = 100
MAX_IDS: Final = 2_000
MAX_WORDS: Final = 1_000
SORTS: Final = {key.value: key for key in SortKey} | {"domain": SortKey.SITE}


def parse_list(query: QueryParams) -> OffsetList | None:
    """None where nothing can be found: photos, videos, and collections, of which there are none."""
    if query.get("collection") or (query.getlist("type") and "article" not in query.getlist("type")):
        return None
    flags = {name: parse_optional_flag(query, name) for name in ("is_archived", "is_marked", "has_errors")}
    sort, is_descending = parse_sort(query.getlist("sort"))
    window = parse_window(query)
    moments = {name: parse_optional_moment(query, name) for name in ("range_start", "range_end", "updated_since")}
    return OffsetList(
        ItemFilter(
            is_archived=flags["is_archived"],
            is_favourite=flags["is_marked"],
            has_failed=bool(flags["has_errors"]),
            added_after=moments["range_start"],
            added_before=moments["range_end"],
        ),
        tags=parse_labels(query.get("labels", "")),
        item_ids=parse_ids(query.getlist("id")) if "id" in query else None,
        changed_since=moments["updated_since"],
        read_statuses=frozenset(ReadStatus(each) for each in query.getlist("read_status") if each in list(ReadStatus)),
        has_tags=parse_optional_flag(query, "has_labels"),
        is_loaded=parse_optional_flag(query, "is_loaded"),
        sort=sort,
        is_descending=is_descending,
        limit=window["limit"],
        offset=window["offset"],
        **parse_words(query),
    )


def parse_words(query: QueryParams) -> dict[str, Any]:
    said = {name: clean(query.get(name, "")).strip()[:MAX_WORDS] for name in ("title", "author", "site", "search")}
    return {("text" if name == "search" else name): text or None for name, text in said.items()}


def parse_window(query: QueryParams) -> dict[str, int]:
    limit, offset = parse_count(query.get("limit"), DEFAULT_LIMIT), parse_count(query.get("offset"), 0)
    return {"limit": min(max(limit, 1), MAX_LIMIT), "offset": min(offset, MAX_OFFSET)}


def parse_count(text: str | None, otherwise: int) -> int:
    """What is too large is clamped; what is no number is as if it were not there."""
    if text is None or not text.isascii() or not text.isdecimal():
        return otherwise
    return int(text[:7]) if len(text) <= 7 else MAX_OFFSET


def parse_sort(values: Sequence[str]) -> tuple[SortKey, bool]:
    for value in values:
        name = value.lstrip("+-")
        if name in SORTS:
            return SORTS[name], value.startswith("-")
    return SortKey.CREATED, True


def parse_labels(text: str) -> tuple[str, ...]:
    """`"to read" news` are two labels; between quotes a label may have spaces."""
    parts = clean(text)[:MAX_WORDS].split('"')
    names = [name for number, part in enumerate(parts) for name in ([part] if number % 2 else part.split())]
    try:
        return tuple(dict.fromkeys(parse_tag(name) for name in names if name.strip()))
    except InvalidRequest:
        return ("\N{REPLACEMENT CHARACTER}",)  # no tag is called that


def parse_ids(values: Sequence[str]) -> tuple[Any, ...]:
    found = (find_id(value) for part in values for value in part.split(","))
    return tuple(dict.fromkeys(key for key in found if key is not None))[:MAX_IDS]


def parse_optional_flag(query: QueryParams, name: str) -> bool | None:
    return parse_flag(query[name]) if name in query else None


def parse_optional_moment(query: QueryParams, name: str) -> datetime | None:
    return parse_moment(query[name].replace(" ", "+")) if query.get(name) else None


def write_paging(url: str, query: QueryParams, limit: int, offset: int, total: int) -> dict[str, str]:
    """The headers that tell how much there is, and where the rest of it is."""
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


NOTHING: Final = OffsetPage((), {}, 0)
