"""Entries: list, get, save, change, remove and reload them, and say whether a URL is saved."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep
from kept.compat.access import TokenReader, TokenWriter
from kept.compat.answering import PlainJson, base_url, write_url
from kept.compat.fields import Fields, FieldsDep
from kept.compat.wallabag.answers import ROOT, WallabagRoute, entry_out
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, NotFound
from kept.domain.imported import clean, clean_tags
from kept.domain.item import MAX_TITLE, UserFields
from kept.domain.synced import NumberKind, SyncFilter, SyncOrder, SyncPage
from kept.services.ingesting.retries import ingest_item
from kept.services.items.changes import ItemChange, ReadingChange, change_item
from kept.services.items.copying import recapture_item
from kept.services.items.removal import remove_items
from kept.services.saving.batches import save_content
from kept.services.saving.links import LinkToSave, save_link
from kept.services.syncing.changes import find_saved_urls
from kept.services.syncing.lists import SyncedItem, SyncedList, get_synced_item, list_synced_items
from kept.services.syncing.numbers import find_by_number

DEFAULT_PAGE: Final = 30
# wallabag-client asks for all at once, with the largest integer as the limit, and shows what it gets.
MOST_WITHOUT_CONTENT: Final = 10_000
MOST_WITH_CONTENT: Final = 100
LAST_PAGE: Final = 1_000_000
ORDERS: Final = {"created": SyncOrder.CREATED, "updated": SyncOrder.CHANGED, "archived": SyncOrder.ARCHIVED}
ECHOED: Final = ("archive", "starred", "public", "sort", "order", "tags", "since", "detail", "domain_name")


@dataclass(frozen=True, slots=True)
class ListRequest:
    wanted: SyncFilter
    number: int
    page: SyncPage
    sent: dict[str, str]
    """The query as it was sent, for the links to other pages."""

    @property
    def asks_public(self) -> bool:
        """Whether public entries are requested. There are none, so that this list is empty."""
        return self.sent.get("public") in {"1", "true"}


def parse_list(fields: Fields) -> ListRequest:
    is_full = fields.text("detail") != "metadata"
    most = MOST_WITH_CONTENT if is_full else MOST_WITHOUT_CONTENT
    limit = min(max(fields.integer("perPage") or DEFAULT_PAGE, 1), most)
    number = min(max(fields.integer("page") or 1, 1), LAST_PAGE)
    order = ORDERS.get(fields.text("sort") or "", SyncOrder.CREATED)
    is_descending = (fields.text("order") or "desc").lower() != "asc"
    sent = {name: text for name in ECHOED if (text := fields.text(name)) is not None}
    page = SyncPage(order, is_descending, (number - 1) * limit, limit, is_full)
    return ListRequest(parse_filter(fields), number, page, sent)


def parse_filter(fields: Fields) -> SyncFilter:
    # clients that want everything send `since=0`
    since = fields.moment("since") if fields.integer("since") else None
    return SyncFilter(
        is_archived=fields.flag("archive") if fields.text("archive") else None,
        is_favourite=fields.flag("starred") if fields.text("starred") else None,
        changed_after=since,
        tags=tuple(word.lower() for word in fields.words("tags")),
        site=fields.text("domain_name") or None,
    )


def list_out(asked: ListRequest, found: SyncedList, entries: list[dict[str, Any]], base: str) -> dict[str, Any]:
    limit, pages = asked.page.limit, count_pages(asked, found)

    def link(number: int) -> dict[str, str]:
        return {"href": write_url(base, "/api/entries", {**asked.sent, "page": str(number), "perPage": str(limit)})}

    links = {"self": link(asked.number), "first": link(1), "last": link(pages)}
    if asked.number < pages:
        links["next"] = link(asked.number + 1)
    return {
        "page": asked.number,
        "limit": limit,
        "pages": pages,
        "total": found.total,
        "_links": links,
        "_embedded": {"items": entries},
    }


def count_pages(asked: ListRequest, found: SyncedList) -> int:
    """Return the number of pages. An empty list has one, since two apps stop at the last page."""
    return max(1, -(-found.total // asked.page.limit))


# --- routes -----------------------------------------------------------------------------------------------------------


router = APIRouter(route_class=WallabagRoute)


@router.get("/api/entries")
async def get_entries(fields: FieldsDep, viewer: TokenReader, request: Request, kept: KeptDep) -> Response:
    """List entries; 404 past the last page, since the iOS app asks for more until it gets no list."""
    asked = parse_list(fields)
    if asked.asks_public:
        found = SyncedList([], 0)
    else:
        found = await list_synced_items(kept.database, viewer, asked.wanted, asked.page)
    if asked.number > count_pages(asked, found):
        raise NotFound
    base = base_url(request, kept, ROOT)
    is_full = asked.page.with_articles

    def write() -> Response:
        entries = [entry_out(entry, viewer, with_content=is_full) for entry in found.items]
        return PlainJson(list_out(asked, found, entries, base))

    return await asyncio.to_thread(write)


@router.get("/api/entries/exists")
async def get_exists(fields: FieldsDep, viewer: TokenReader, kept: KeptDep) -> Response:
    """Answer for one URL or hash whether it is saved, or its id; for several, the same by URL or hash."""
    urls, hashes = fields.texts("urls"), fields.texts("hashed_urls")
    single = fields.text("url") or fields.text("hashed_url") or ""
    is_hash = not fields.text("url")
    found = await find_saved_urls(
        kept.database, viewer, urls if is_hash else [*urls, single], [*hashes, single] if is_hash else hashes
    )
    with_id = fields.flag("return_id")

    def tell(asked: str) -> bool | int | None:
        return found.get(asked) if with_id else asked in found

    many = [*urls, *hashes]
    return PlainJson({asked: tell(asked) for asked in many} if many else {"exists": tell(single)})


@router.get("/api/entries/{number:int}")
async def get_entry(number: int, viewer: TokenReader, kept: KeptDep) -> Response:
    item_id = await kept.read(find_by_number, viewer, NumberKind.ITEM, number)
    return await answer_entry(viewer, await kept.read(get_synced_item, viewer, item_id))


@router.post("/api/entries")
async def post_entry(fields: FieldsDep, viewer: TokenWriter, request: Request, kept: KeptDep) -> Response:
    """Save a page, to be fetched later unless its content was sent: KOReader and Miniflux wait only 10 s."""
    url = fields.get_url()
    await kept.rate_limits.require("save", str(viewer.user_id))
    said = UserFields(title=cut_title(fields), tags=parse_labels(fields))
    content = fields.text("content")
    if content and content.strip():
        item_id = (await save_content(kept.saver, viewer, url, content, said)).item.id
    else:
        link = LinkToSave(url, said, wait=False, request_id=request.state.request_id)
        item_id = (await save_link(kept.saver, viewer, link)).card.item.id
    reading = parse_reading(fields)
    if reading != ReadingChange():
        await kept.write(change_item, viewer, item_id, ItemChange(reading=reading), now=kept.now())
    return await answer_entry(viewer, await kept.read(get_synced_item, viewer, item_id))


@router.patch("/api/entries/{number:int}")
async def patch_entry(number: int, fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    item_id = await kept.read(find_by_number, viewer, NumberKind.ITEM, number)
    title = cut_title(fields)
    labels = parse_labels(fields)
    change = ItemChange({"title": title} if title else {}, labels or None, parse_reading(fields))
    await kept.write(change_item, viewer, item_id, change, now=kept.now())
    return await answer_entry(viewer, await kept.read(get_synced_item, viewer, item_id))


@router.delete("/api/entries/{number:int}")
async def delete_entry(number: int, fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    """Remove an entry and return it as it was, or its id alone; never 204, since some apps read a body."""
    item_id = await kept.read(find_by_number, viewer, NumberKind.ITEM, number)
    entry = await kept.read(get_synced_item, viewer, item_id, with_article=False)
    await kept.write(remove_items, viewer, [item_id], now=kept.now())
    if fields.text("expect") == "id":
        return PlainJson({"id": entry.number})
    return await answer_entry(viewer, entry, with_content=False)


@router.patch("/api/entries/{number:int}/reload")
async def reload_entry(number: int, viewer: TokenWriter, request: Request, kept: KeptDep) -> Response:
    """Save a new copy of the page, or retry one that failed. 304 if neither is possible now."""
    item_id = await kept.read(find_by_number, viewer, NumberKind.ITEM, number)
    await kept.rate_limits.require("save", str(viewer.user_id))
    entry = await kept.read(get_synced_item, viewer, item_id)
    again = recapture_item if entry.card.media.is_readable else ingest_item
    try:
        told = {"request_id": request.state.request_id, "now": kept.now()}
        await again(kept.database, kept.notifier, viewer, item_id, **told)
    except Conflict:
        return Response(status_code=304)
    return await answer_entry(viewer, await kept.read(get_synced_item, viewer, item_id))


# --- what clients send ------------------------------------------------------------------------------------------


def cut_title(fields: Fields) -> str | None:
    """Return the title, cut if it is too long, as in an import: an app cannot ask its user again."""
    return clean(fields.text("title"), MAX_TITLE)


def parse_labels(fields: Fields) -> tuple[str, ...]:
    return clean_tags(fields.words("tags"))


def parse_reading(fields: Fields) -> ReadingChange:
    archive, starred = fields.flag("archive"), fields.flag("starred")
    if "archive" not in fields:
        archive = fields.flag("is_archived") if "is_archived" in fields else None
    return ReadingChange(is_archived=archive, is_favourite=starred if "starred" in fields else None)


async def answer_entry(viewer: Viewer, entry: SyncedItem, *, with_content: bool = True) -> Response:
    def write() -> Response:
        return PlainJson(entry_out(entry, viewer, with_content=with_content))

    return await asyncio.to_thread(write)
