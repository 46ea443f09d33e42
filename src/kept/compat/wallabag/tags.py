"""Tags: list those of everything or of one entry, and remove them from one entry or all."""

from fastapi import APIRouter, Response

from kept.api.access import KeptDep
from kept.compat.access import TokenReader, TokenWriter
from kept.compat.answering import PlainJson
from kept.compat.fields import FieldsDep
from kept.compat.wallabag.answers import WallabagRoute, counted_tag_out, tag_out
from kept.compat.wallabag.entries import answer_entry, parse_labels
from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.synced import NumberedTag, NumberKind
from kept.services.items.changes import ItemsChange, change_items
from kept.services.syncing.lists import SyncedItem, get_synced_item
from kept.services.syncing.numbers import find_by_number
from kept.services.syncing.tags import list_numbered_tags, remove_tag
from kept.wiring.server import Kept

router = APIRouter(route_class=WallabagRoute)


@router.get("/api/tags")
async def get_tags(viewer: TokenReader, kept: KeptDep) -> Response:
    return PlainJson([counted_tag_out(tag) for tag in await kept.read(list_numbered_tags, viewer)])


@router.get("/api/entries/{number:int}/tags")
async def get_entry_tags(number: int, viewer: TokenReader, kept: KeptDep) -> Response:
    entry = await find_entry(kept, viewer, number)
    return PlainJson([tag_out(tag) for tag in entry.tags])


@router.post("/api/entries/{number:int}/tags")
async def post_entry_tags(number: int, fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    """Add tags to an entry; the tags it has stay."""
    entry = await find_entry(kept, viewer, number)
    return await change_tags(kept, viewer, entry, ItemsChange(add_tags=parse_labels(fields)))


@router.delete("/api/entries/{number:int}/tags/{tag:int}")
async def delete_entry_tag(number: int, tag: int, viewer: TokenWriter, kept: KeptDep) -> Response:
    entry = await find_entry(kept, viewer, number)
    removed = tuple(one.name for one in entry.tags if one.number == tag)
    if not removed:
        raise NotFound
    return await change_tags(kept, viewer, entry, ItemsChange(remove_tags=removed))


@router.delete("/api/tags/label")
async def delete_tags_by_label(fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    """Remove tags from every entry. A request with the field `tag` gets one tag, one with `tags` a list."""
    labels = {*parse_labels(fields), *(word.lower() for word in fields.words("tag"))}
    found = [tag for tag in await kept.read(list_numbered_tags, viewer) if tag.name in labels]
    if not found:
        raise NotFound
    return await remove_everywhere(kept, viewer, found, is_one="tag" in fields and "tags" not in fields)


@router.delete("/api/tag/label")
async def delete_tag_by_label(fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    return await delete_tags_by_label(fields, viewer, kept)


@router.delete("/api/tags/{number:int}")
async def delete_tag(number: int, viewer: TokenWriter, kept: KeptDep) -> Response:
    found = [tag for tag in await kept.read(list_numbered_tags, viewer) if tag.number == number]
    if not found:
        raise NotFound
    return await remove_everywhere(kept, viewer, found, is_one=True)


async def remove_everywhere(kept: Kept, viewer: Viewer, tags: list[NumberedTag], *, is_one: bool) -> Response:
    for tag in tags:
        await remove_tag(kept.database, viewer, tag.name, now=kept.now())
    return PlainJson(tag_out(tags[0]) if is_one else [tag_out(tag) for tag in tags])


async def change_tags(kept: Kept, viewer: Viewer, entry: SyncedItem, change: ItemsChange) -> Response:
    item_id = entry.card.item.id
    await kept.write(change_items, viewer, [item_id], change, now=kept.now())
    return await answer_entry(viewer, await kept.read(get_synced_item, viewer, item_id))


async def find_entry(kept: Kept, viewer: Viewer, number: int) -> SyncedItem:
    item_id = await kept.read(find_by_number, viewer, NumberKind.ITEM, number)
    return await kept.read(get_synced_item, viewer, item_id, with_article=False)
