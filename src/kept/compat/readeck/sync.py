"""What changed since a client last asked, and the bookmarks themselves in one stream."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Final
from uuid import UUID

from fastapi import Response
from fastapi.responses import StreamingResponse

from kept.compat.readeck.bookmarks import write_article, write_markdown
from kept.compat.readeck.bookmarks_out import BookmarkWriter, write_id, write_time
from kept.compat.readeck.lists import parse_ids
from kept.compat.readeck.requests import Fields, Visit, Visiting, create_router, parse_rfc3339, read_fields
from kept.domain.item import Card
from kept.domain.synced import SyncEvent, SyncFilter, SyncPage
from kept.services.accounts.secrets import new_secret
from kept.services.syncing.changes import iterate_changes
from kept.services.syncing.lists import list_synced_cards

router = create_router()

AT_ONCE: Final = 100


@router.get("/api/bookmarks/sync")
async def get_sync(visit: Visiting) -> Response:
    since = visit.request.query_params.get("since")
    moment = parse_rfc3339(since.replace(" ", "+")) if since else None
    pages = iterate_changes(visit.kept.database, visit.viewer, moment)
    return StreamingResponse(write_events(pages), media_type="application/json", headers={"Cache-Control": "no-store"})


async def write_events(pages: AsyncIterator[list[SyncEvent]]) -> AsyncIterator[bytes]:
    comma = "["
    async for page in pages:
        for event in page:
            kind = "delete" if event.is_removed else "update"
            said = {"id": write_id(event.item_id), "time": write_time(event.at), "type": kind}
            yield (comma + json.dumps(said)).encode()
            comma = ",\n"
    yield b"]" if comma != "[" else b"[]"


@router.post("/api/bookmarks/sync")
async def post_sync(visit: Visiting) -> Response:
    """Stream `multipart/mixed`: for each bookmark its JSON, its article or both, as requested."""
    fields = await read_fields(visit.request)
    boundary = new_secret()
    parts = write_parts(visit, parse_ids(fields.texts("id") or []), fields, boundary)
    return StreamingResponse(parts, media_type=f'multipart/mixed; boundary="{boundary}"')


async def write_parts(visit: Visit, item_ids: Sequence[UUID], fields: Fields, boundary: str) -> AsyncIterator[bytes]:
    writer = await visit.open_writer()
    for start in range(0, len(item_ids), AT_ONCE):
        wanted = SyncFilter(item_ids=tuple(item_ids[start : start + AT_ONCE]))
        page = await list_synced_cards(visit.kept.database, visit.viewer, wanted, SyncPage(limit=AT_ONCE))
        for card in page.cards:
            if fields.flag("with_json"):
                told = writer.write(card, page.changed_at[card.item.id])
                yield write_part(boundary, card, "json", "application/json", json.dumps(told))
            async for part in write_texts(visit, card, fields, writer, boundary):
                yield part
    yield f"--{boundary}--\r\n".encode()


async def write_texts(
    visit: Visit, card: Card, fields: Fields, writer: BookmarkWriter, boundary: str
) -> AsyncIterator[bytes]:
    if not card.media.is_readable:
        return
    if fields.flag("with_html"):
        html = await write_article(visit, card, writer)
        yield write_part(boundary, card, "html", "text/html; charset=utf-8", html)
    if fields.flag("with_markdown"):
        yield write_part(boundary, card, "markdown", "text/markdown; charset=utf-8", await write_markdown(visit, card))


def write_part(boundary: str, card: Card, kind: str, content_type: str, text: str) -> bytes:
    body, key = text.encode(), write_id(card.item.id)
    headers = {
        "Bookmark-Id": key,
        "Type": kind,
        "Content-Type": content_type,
        "Content-Disposition": f'attachment; filename="{key}.{kind}"',
        "Content-Length": str(len(body)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"--{boundary}\r\n{head}\r\n".encode() + body + b"\r\n"
