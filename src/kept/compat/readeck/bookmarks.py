"""Bookmarks: list, add (with or without the page), change, remove; their articles as HTML, EPUB, Markdown."""

import asyncio
import json
from typing import Annotated, Any, Final
from urllib.parse import quote
from uuid import UUID

from fastapi import Path, Response
from fastapi.responses import HTMLResponse, PlainTextResponse
from starlette.datastructures import UploadFile

from kept.compat.readeck.bookmarks_out import BookmarkWriter, parse_id, write_front_matter, write_id, write_time
from kept.compat.readeck.lists import parse_list, parse_page, write_paging
from kept.compat.readeck.requests import (
    Fields,
    Visit,
    Visiting,
    Writing,
    WritingVisit,
    answer_json,
    create_router,
    read_fields,
    say,
)
from kept.content.export_formats.article_file import link_images
from kept.content.page.decode import decode_html
from kept.domain.errors import InvalidRequest, NotFound
from kept.domain.imported import clean_tags, storable
from kept.domain.item import Card, UserFields, parse_user_fields
from kept.domain.media import ImageKind
from kept.services.exporting.articles import FileFormat, export_article
from kept.services.items.changes import ItemChange, ItemsChange, ReadingChange, change_item, change_items
from kept.services.items.removal import remove_items, restore_removed_items
from kept.services.pages.cards import get_card_and_role
from kept.services.reading.articles import read_article
from kept.services.saving.batches import save_content
from kept.services.saving.links import LinkToSave, save_link
from kept.services.syncing.lists import SyncedCards, get_synced_card, list_synced_cards

router = create_router()

MAX_FIRST_LINE: Final = 20_000
NOTHING: Final = SyncedCards((), {}, 0)


@router.get("/api/bookmarks")
async def get_bookmarks(visit: Visiting) -> Response:
    query = visit.request.query_params
    wanted, page = parse_list(query), parse_page(query)
    found = await list_synced_cards(visit.kept.database, visit.viewer, wanted, page) if wanted else NOTHING
    writer = await visit.open_writer()
    headers = write_paging(f"{visit.api_url}/bookmarks", query, page.limit, page.offset, found.total)

    def write() -> Response:
        return answer_json(
            [writer.write(card, found.changed_at[card.item.id]) for card in found.cards], headers=headers
        )

    return await asyncio.to_thread(write)


@router.post("/api/bookmarks")
async def post_bookmark(visit: Writing) -> Response:
    """Save a page and answer 202, since it is fetched in the background; if its HTML is sent, nothing is fetched."""
    fields = await read_fields(visit.request)
    url = (fields.text("url") or "").strip()
    said = parse_user_fields(fields.text("title"), None, None, clean_tags(fields.texts("labels") or ()))
    await visit.kept.rate_limits.require("save", str(visit.viewer.user_id))
    html = fields.text("html") or await find_page(fields, url)
    card = await save(visit, url, said, html)
    href = f"{visit.api_url}/bookmarks/{write_id(card.item.id)}"
    return say(202, "Link submited", Bookmark_Id=write_id(card.item.id), Location=href)


async def save(visit: WritingVisit, url: str, said: UserFields, html: str | None) -> Card:
    if html and html.strip():
        return await save_content(visit.kept.saver, visit.viewer, url, html, said)
    link = LinkToSave(url, said, wait=False, request_id=visit.request.state.request_id)
    return (await save_link(visit.kept.saver, visit.viewer, link)).card


async def find_page(fields: Fields, url: str) -> str | None:
    """Return the page itself among the resources that a browser extension sends, by its header or first line."""
    for part in fields.files("resource"):
        if isinstance(part, UploadFile):
            body, location = await part.read(), part.headers.get("location")
            kind = part.headers.get("content-type")
        else:
            body, location, kind = part.encode(), None, None
        if location is None:
            location, kind, body = split_first_line(body)
        if location in (None, url) and (kind is None or "html" in kind):
            return storable(decode_html(body, kind).text)
    return None


def split_first_line(body: bytes) -> tuple[str | None, str | None, bytes]:
    """Split a resource: its first line is `{"url": …, "headers": {…}}`, the rest is the page."""
    line, _, rest = body.partition(b"\n")
    try:
        said = json.loads(line) if len(line) <= MAX_FIRST_LINE else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict) or not isinstance(said.get("url"), str):
        return None, None, body
    headers = said.get("headers")
    named = headers.items() if isinstance(headers, dict) else ()
    kinds = [str(value) for name, value in named if name.lower() == "content-type"]
    return said["url"], kinds[0] if kinds else None, rest


@router.get("/api/bookmarks/{bookmark_id}")
async def get_bookmark(bookmark_id: str, visit: Visiting) -> Response:
    return answer_json({**await describe(visit, parse_id(bookmark_id)), "links": []})


async def describe(visit: Visit, item_id: UUID) -> dict[str, Any]:
    card, changed_at = await visit.kept.read(get_synced_card, visit.viewer, item_id)
    return (await visit.open_writer()).write(card, changed_at)


@router.patch("/api/bookmarks/{bookmark_id}")
async def patch_bookmark(bookmark_id: str, visit: Writing) -> Response:
    """Change a bookmark and answer with the changed fields alone: some clients cannot read others here."""
    item_id, fields = parse_id(bookmark_id), await read_fields(visit.request)
    if fields.flag("is_deleted") is not None:
        return await patch_removal(visit, item_id, is_removed=bool(fields.flag("is_deleted")))
    await change(visit, item_id, fields)
    told = await describe(visit, item_id)
    changed = {name: told[name] for name in CHANGEABLE if name in fields}
    if any(name in fields for name in ("labels", "add_labels", "remove_labels")):
        changed["labels"] = told["labels"]
    if "read_anchor" in fields:
        changed["read_anchor"] = ""
    return answer_json({"id": told["id"], "href": told["href"], "updated": told["updated"], **changed})


CHANGEABLE: Final = ("title", "description", "is_marked", "is_archived", "read_progress")


async def change(visit: WritingVisit, item_id: UUID, fields: Fields) -> None:
    database, viewer, now = visit.kept.database, visit.viewer, visit.kept.now()
    texts = {"title": fields.text("title")} if "title" in fields else {}
    texts |= {"excerpt": fields.text("description")} if "description" in fields else {}
    labels = fields.texts("labels") if "labels" in fields else None
    progress = parse_progress(fields)
    reading = ReadingChange(
        is_favourite=fields.flag("is_marked"),
        is_archived=fields.flag("is_archived"),
        is_read=None if progress is None else progress == 100,
        progress=None if progress is None else progress / 100,
    )
    tags = None if labels is None else clean_tags(labels)
    await database.write(change_item, viewer, item_id, ItemChange(texts, tags, reading), now=now)
    added, removed = fields.texts("add_labels") or [], fields.texts("remove_labels") or []
    if added or removed:
        tagging = ItemsChange(add_tags=clean_tags(added), remove_tags=clean_tags(removed))
        await database.write(change_items, viewer, [item_id], tagging, now=now)


def parse_progress(fields: Fields) -> int | None:
    progress = fields.number("read_progress")
    if progress is not None and not 0 <= progress <= 100:
        raise InvalidRequest("read_progress: from 0 to 100.")
    return progress


async def patch_removal(visit: WritingVisit, item_id: UUID, *, is_removed: bool) -> Response:
    now, key = visit.kept.now(), write_id(item_id)
    if is_removed:
        await visit.kept.write(remove_items, visit.viewer, [item_id], now=now)
    elif not await visit.kept.write(restore_removed_items, visit.viewer, [item_id], now=now):
        await visit.kept.read(get_card_and_role, visit.viewer, item_id)
    said = {"id": key, "href": f"{visit.api_url}/bookmarks/{key}", "updated": write_time(now)}
    return answer_json({**said, "is_deleted": is_removed})


@router.delete("/api/bookmarks/{bookmark_id}")
async def delete_bookmark(bookmark_id: str, visit: Writing) -> Response:
    result = await visit.kept.write(remove_items, visit.viewer, [parse_id(bookmark_id)], now=visit.kept.now())
    if not result.changed:
        raise NotFound
    return Response(status_code=204)


# --- articles ---------------------------------------------------------------------------------------------------------


# If a browser shows it, nothing runs and nothing is sent.
GUARD: Final = {"Content-Security-Policy": "sandbox; default-src 'none'; img-src 'self'"}
BookmarkId = Annotated[str, Path()]


@router.get("/api/bookmarks/{bookmark_id}/article")
async def get_article(bookmark_id: BookmarkId, visit: Visiting) -> Response:
    """Return the article without marks of highlights: clients draw their own, by the paths of elements."""
    card, _ = await visit.kept.read(get_card_and_role, visit.viewer, parse_id(bookmark_id))
    return HTMLResponse(await write_article(visit, card, await visit.open_writer()), headers=GUARD)


async def write_article(visit: Visit, card: Card, writer: BookmarkWriter) -> str:
    article = await visit.kept.read(read_article, visit.viewer, card.media.id)

    def url_of(image_id: UUID) -> str:
        return writer.images.link_to(ImageKind.IMAGE, image_id)

    return link_images(article.html, url_of)


@router.get("/api/bookmarks/{bookmark_id}/article.epub")
async def get_epub(bookmark_id: BookmarkId, visit: Visiting) -> Response:
    """Return the article without marks of highlights, which would change the paths by which KOReader marks its own."""
    file = await export_article(
        visit.kept.images,
        visit.viewer,
        parse_id(bookmark_id),
        FileFormat.EPUB,
        now=visit.kept.now(),
        with_highlights=False,
    )
    name = f"attachment; filename=\"{bookmark_id}.epub\"; filename*=UTF-8''{quote(file.name)}"
    return Response(file.data, media_type="application/epub+zip", headers={"Content-Disposition": name})


@router.get("/api/bookmarks/{bookmark_id}/article.md")
async def get_markdown(bookmark_id: BookmarkId, visit: Visiting) -> Response:
    card, _ = await visit.kept.read(get_card_and_role, visit.viewer, parse_id(bookmark_id))
    text = await write_markdown(visit, card)
    return Response(text.encode(), media_type="text/markdown; charset=utf-8", headers=GUARD)


async def write_markdown(visit: Visit, card: Card) -> str:
    file = await export_article(
        visit.kept.images, visit.viewer, card.item.id, FileFormat.MARKDOWN, now=visit.kept.now()
    )
    return write_front_matter(card) + file.data.decode()


@router.get("/api/bookmarks/{bookmark_id}/x/log")
async def get_log(bookmark_id: BookmarkId, visit: Visiting) -> Response:
    card, _ = await visit.kept.read(get_card_and_role, visit.viewer, parse_id(bookmark_id))
    return PlainTextResponse(f"{card.media.processing_status}\n{card.media.failure_message or ''}\n", headers=GUARD)


@router.get("/api/bookmarks/{bookmark_id}/x/props.json")
async def get_props(bookmark_id: BookmarkId, visit: Visiting) -> Response:
    return answer_json(await describe(visit, parse_id(bookmark_id)))
