"""Bookmarks: list, check, create, change, archive, delete; and a page that SingleFile uploads."""

from typing import Final
from uuid import UUID

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep
from kept.compat.access import TokenReader, TokenWriter
from kept.compat.answering import PlainJson
from kept.compat.fields import Fields, FieldsDep
from kept.compat.linkding.answers import LinkdingRoute, bookmark_out
from kept.compat.linkding.listing import empty_list, list_bookmarks
from kept.content.import_formats.prepare_rows import MAX_CONTENT_CHARACTERS
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, NotFound, TooLarge
from kept.domain.imported import clean, clean_tags
from kept.domain.item import MAX_EXCERPT, MAX_NOTE, MAX_TITLE, UserFields
from kept.domain.synced import NumberKind
from kept.services.items.changes import ItemChange, ReadingChange, change_item
from kept.services.items.removal import remove_items
from kept.services.saving.batches import save_content
from kept.services.saving.links import LinkToSave, save_link
from kept.services.syncing.changes import find_saved_urls
from kept.services.syncing.lists import SyncedItem, get_synced_item
from kept.services.syncing.numbers import find_by_number
from kept.wiring.server import Kept

router = APIRouter(prefix="/api/bookmarks", route_class=LinkdingRoute)

# The names of fields in linkding, and in Kept.
TEXTS: Final = {"title": ("title", MAX_TITLE), "description": ("excerpt", MAX_EXCERPT), "notes": ("note", MAX_NOTE)}


@router.get("")
async def get_bookmarks(fields: FieldsDep, viewer: TokenReader, request: Request, kept: KeptDep) -> Response:
    """List the bookmarks that are not archived."""
    return await list_bookmarks(kept, viewer, fields, request, is_archived=False)


@router.get("/archived")
async def get_archived(fields: FieldsDep, viewer: TokenReader, request: Request, kept: KeptDep) -> Response:
    return await list_bookmarks(kept, viewer, fields, request, is_archived=True)


@router.get("/shared")
async def get_shared(viewer: TokenReader) -> Response:
    """Answer with an empty list: people share pages in libraries with members, and nothing with everybody."""
    return empty_list()


@router.get("/check")
async def check_url(fields: FieldsDep, viewer: TokenReader, kept: KeptDep) -> Response:
    """Return what was saved of a page. Nothing is fetched."""
    url = fields.get_url()
    found = await find_bookmark(kept, viewer, url)
    card = found.card if found else None
    metadata = {
        "url": url,
        "title": card.title if card else None,
        "description": card.excerpt if card else None,
        "preview_image": card.media.preview_image_url if card else None,
    }
    return PlainJson({"bookmark": bookmark_out(found) if found else None, "metadata": metadata, "auto_tags": []})


@router.post("")
async def post_bookmark(fields: FieldsDep, viewer: TokenWriter, request: Request, kept: KeptDep) -> Response:
    """Save a page and answer 201, even if it was saved before: its fields are then replaced by those sent."""
    url = fields.get_url()
    await kept.rate_limits.require("save", str(viewer.user_id))
    known = await find_bookmark(kept, viewer, url)
    if known is None:
        link = LinkToSave(url, parse_user_fields(fields), wait=False, request_id=request.state.request_id)
        item_id = (await save_link(kept.saver, viewer, link)).card.item.id
        change = ItemChange(reading=parse_new_reading(fields))
    else:
        item_id, change = known.card.item.id, parse_change(fields, parse_new_reading(fields))
    if change != ItemChange():
        await kept.write(change_item, viewer, item_id, change, now=kept.now())
    return PlainJson(bookmark_out(await read_bookmark(kept, viewer, item_id)), 201)


@router.post("/singlefile")
async def post_single_file(fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    url, file = (fields.text("url") or "").strip(), fields.file("file")
    if not url or file is None:
        raise InvalidRequest("Both the URL and the file are needed.")
    await kept.rate_limits.require("save", str(viewer.user_id))
    data = await file.read(MAX_CONTENT_CHARACTERS + 1)
    if len(data) > MAX_CONTENT_CHARACTERS:
        raise TooLarge
    await save_content(kept.saver, viewer, url, data.decode("utf-8", "replace"))
    return PlainJson({"message": "Snapshot uploaded successfully."}, 201)


@router.get("/{number:int}")
async def get_bookmark(number: int, viewer: TokenReader, kept: KeptDep) -> Response:
    return PlainJson(bookmark_out(await get_by_number(kept, viewer, number)))


@router.put("/{number:int}")
async def put_bookmark(number: int, fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    return await change_bookmark(kept, viewer, number, fields)


@router.patch("/{number:int}")
async def patch_bookmark(number: int, fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    return await change_bookmark(kept, viewer, number, fields)


@router.post("/{number:int}/archive")
async def archive_bookmark(number: int, viewer: TokenWriter, kept: KeptDep) -> Response:
    return await set_archived(kept, viewer, number, is_archived=True)


@router.post("/{number:int}/unarchive")
async def unarchive_bookmark(number: int, viewer: TokenWriter, kept: KeptDep) -> Response:
    return await set_archived(kept, viewer, number, is_archived=False)


@router.delete("/{number:int}")
async def delete_bookmark(number: int, viewer: TokenWriter, kept: KeptDep) -> Response:
    item_id = await kept.read(find_by_number, viewer, NumberKind.ITEM, number)
    await kept.write(remove_items, viewer, [item_id], now=kept.now())
    return Response(status_code=204)


@router.get("/{number:int}/assets")
async def get_assets(number: int, viewer: TokenReader, kept: KeptDep) -> Response:
    """Answer with an empty list: Kept's copies are not files as linkding has them."""
    await kept.read(find_by_number, viewer, NumberKind.ITEM, number)
    return empty_list()


# --- what clients send ------------------------------------------------------------------------------------------


async def change_bookmark(kept: Kept, viewer: Viewer, number: int, fields: Fields) -> Response:
    """Change the fields that are sent. The URL of an item cannot change: another URL is another page."""
    found = await get_by_number(kept, viewer, number)
    url = fields.text("url")
    if url is not None and url.strip() != found.card.item.url:
        other = await find_bookmark(kept, viewer, url.strip())
        if other is None:
            raise InvalidRequest("The URL of a bookmark can't be changed. Add the other page as a new one.")
        if other.number != found.number:
            raise InvalidRequest("A bookmark with this URL already exists.")
    reading = ReadingChange(is_archived=fields.flag("is_archived"), is_read=negate(fields.flag("unread")))
    change = parse_change(fields, reading)
    if change != ItemChange():
        await kept.write(change_item, viewer, found.card.item.id, change, now=kept.now())
    return PlainJson(bookmark_out(await read_bookmark(kept, viewer, found.card.item.id)))


def parse_change(fields: Fields, reading: ReadingChange) -> ItemChange:
    texts = {own: clean(fields.text(name), most) for name, (own, most) in TEXTS.items() if name in fields}
    tags = clean_tags(fields.words("tag_names")) if has_tags(fields) else None
    return ItemChange(texts, tags, reading)


def has_tags(fields: Fields) -> bool:
    return "tag_names" in fields or "tag_names[]" in fields


def parse_user_fields(fields: Fields) -> UserFields:
    texts = {own: clean(fields.text(name), most) for name, (own, most) in TEXTS.items()}
    return UserFields(texts["title"], texts["excerpt"], texts["note"], clean_tags(fields.words("tag_names")))


def parse_new_reading(fields: Fields) -> ReadingChange:
    """Ignore `unread: false`, which clients send unless somebody ticks a box: what is new in Kept is unread."""
    is_read = False if fields.flag("unread") else None
    return ReadingChange(is_archived=fields.flag("is_archived") or None, is_read=is_read)


def negate(flag: bool | None) -> bool | None:
    return None if flag is None else not flag


async def find_bookmark(kept: Kept, viewer: Viewer, url: str) -> SyncedItem | None:
    found = await find_saved_urls(kept.database, viewer, [url], [])
    try:
        return await get_by_number(kept, viewer, found[url]) if url in found else None
    except NotFound:  # removed meanwhile
        return None


async def set_archived(kept: Kept, viewer: Viewer, number: int, *, is_archived: bool) -> Response:
    item_id = await kept.read(find_by_number, viewer, NumberKind.ITEM, number)
    change = ItemChange(reading=ReadingChange(is_archived=is_archived))
    await kept.write(change_item, viewer, item_id, change, now=kept.now())
    return Response(status_code=204)


async def get_by_number(kept: Kept, viewer: Viewer, number: int) -> SyncedItem:
    return await read_bookmark(kept, viewer, await kept.read(find_by_number, viewer, NumberKind.ITEM, number))


async def read_bookmark(kept: Kept, viewer: Viewer, item_id: UUID) -> SyncedItem:
    return await kept.read(get_synced_item, viewer, item_id, with_article=False)
