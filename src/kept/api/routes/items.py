"""Items: save, list, get, change, move, remove; their copies, thumbnails and article files."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field, StrictBool

from kept.api.access import Finder, KeptDep, Reader, Saver, Writer
from kept.api.envelope import ApiModel, Data, DataWithNotices, RequestModel, errors, notices_out
from kept.api.images import image_response, is_known, not_modified_response, tag_of
from kept.api.item_models import ItemOut, item_out
from kept.api.requests import LIBRARY_ID, NEXT_CURSOR, Cursor, IdempotencyKey, Moment, find_base_url
from kept.api.uploads import disposition
from kept.content.export_formats.html_file import POLICY
from kept.domain.item import ItemFilter, parse_user_fields
from kept.domain.library import AllLibraries
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.paging import PageRequest
from kept.services.exporting.articles import CONTENT_TYPES, ExportedFile, FileFormat, export_article
from kept.services.exporting.highlights import CONTENT_TYPES as HIGHLIGHT_TYPES
from kept.services.exporting.highlights import HighlightFormat, export_highlights
from kept.services.images.serving import find_thumbnail, serve_thumbnail
from kept.services.ingesting.retries import MAX_CARDS, CardsToIngest, ingest_cards, ingest_item
from kept.services.items.changes import ItemChange, ReadingChange, change_item
from kept.services.items.copying import recapture_item
from kept.services.items.lists import MAX_PAGE, list_items
from kept.services.items.moving import move_item
from kept.services.items.removal import remove_items
from kept.services.pages.cards import get_card_and_role
from kept.services.pages.copies import PageCopy, list_copies
from kept.services.requests.idempotency import StoredAnswer, answer_once
from kept.services.saving.links import LinkToSave, enrich_item, save_link
from kept.urls.url import MAX_URL_LENGTH

router = APIRouter(prefix="/api/v1/items", tags=["items"])

WithHighlights = Annotated[bool, Query(description="Whether HTML and EPUB show the user's highlights and notes.")]
USER_FIELDS = ("title", "excerpt", "note")


class ItemPage(ApiModel):
    data: list[ItemOut]
    next_cursor: str | None = Field(description=NEXT_CURSOR)


class ItemIn(RequestModel):
    url: str = Field(description=f"At most {MAX_URL_LENGTH:,} characters.")
    title: str | None = None
    excerpt: str | None = None
    note: str | None = None
    tags: Annotated[list[str], Field(max_length=200, default_factory=list)]
    library_id: UUID | None = None
    wait: StrictBool = Field(True, description="False responds at once and leaves the fetch to a worker.")


class ItemPatch(RequestModel):
    title: str | None = None
    excerpt: str | None = None
    note: str | None = None
    tags: Annotated[list[str], Field(max_length=200)] | None = None
    is_favourite: StrictBool | None = None
    is_archived: StrictBool | None = None
    is_read: StrictBool | None = None
    progress: Annotated[float, Field(ge=0, le=1, strict=True)] | None = None


class MoveIn(RequestModel):
    library_id: UUID


class CopyOut(ApiModel):
    """One copy of an item's page; its article is at `/api/v1/media/{media_id}/fragments`."""

    item_id: UUID
    media_id: UUID
    is_current: bool
    title: str | None
    word_count: int | None
    processing_status: ProcessingStatus
    failure_code: str | None
    failure_message: str | None
    kept_at: datetime | None


class ItemQuery(RequestModel):
    library_id: UUID | AllLibraries | None = Field(None, description=LIBRARY_ID)
    tag: str | None = None
    status: ProcessingStatus | None = None
    is_unread: bool | None = None
    is_favourite: bool | None = None
    is_archived: bool | None = None
    added_before: Moment | None = None
    added_after: Moment | None = None
    cursor: Cursor | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 30


def copy_out(copy: PageCopy) -> CopyOut:
    own = {"item_id": copy.item_id, "media_id": copy.media.id, "is_current": copy.is_current, "kept_at": copy.kept_at}
    return CopyOut.of(copy.media, **own)


@router.post(
    "",
    status_code=201,
    response_model=DataWithNotices[ItemOut],
    responses={200: {"model": DataWithNotices[ItemOut]}, **errors(403, 404, 409, 429)},
)
async def post_item(
    body: ItemIn, viewer: Saver, request: Request, kept: KeptDep, idempotency_key: IdempotencyKey = None
) -> JSONResponse:
    """Save a link. 201 with the new item, its title, excerpt and image already filled in; 200 with an existing item."""
    fields = parse_user_fields(body.title, body.excerpt, body.note, body.tags)
    link = LinkToSave(body.url, fields, body.library_id, body.wait, request.state.request_id)

    async def work() -> StoredAnswer:
        await kept.rate_limits.require("save", str(viewer.user_id))
        saved = await save_link(kept.saver, viewer, link)
        answer = DataWithNotices[ItemOut](data=item_out(saved.card), notices=notices_out(saved.notices))
        return StoredAnswer(201 if saved.is_new_item else 200, answer.model_dump(mode="json"))

    asked = body.model_dump_json()
    answer = await answer_once(kept.database, viewer.user_id, idempotency_key, asked, work, now=kept.now())
    return JSONResponse(answer.body, answer.status)


@router.get("", responses=errors(404))
async def get_items(query: Annotated[ItemQuery, Query()], viewer: Reader, kept: KeptDep) -> ItemPage:
    """List the items of a library or of all, newest first; without `library_id`, of the user's own library."""
    wanted = ItemFilter(**query.model_dump(exclude={"cursor", "limit", "library_id"}))
    page = await kept.read(list_items, viewer, query.library_id, wanted, PageRequest(query.cursor, query.limit))
    return ItemPage(data=[item_out(card) for card in page.cards], next_cursor=page.next_cursor)


@router.get("/{item_id}", responses=errors(404))
async def get_item(item_id: UUID, viewer: Finder, kept: KeptDep) -> Data[ItemOut]:
    card, _ = await kept.read(get_card_and_role, viewer, item_id)
    return Data(data=item_out(card))


@router.patch("/{item_id}", responses=errors(403, 404))
async def patch_item(item_id: UUID, body: ItemPatch, viewer: Saver, kept: KeptDep) -> Data[ItemOut]:
    """Change the fields that are sent. Texts and tags are the library's (its admins'), the reading state the user's."""
    sent = body.model_fields_set
    fields: dict[str, str | None] = {name: getattr(body, name) for name in USER_FIELDS if name in sent}
    tags = tuple(body.tags or ()) if "tags" in sent else None
    reading = ReadingChange(
        is_favourite=body.is_favourite, is_archived=body.is_archived, is_read=body.is_read, progress=body.progress
    )
    change = ItemChange(fields, tags, reading)
    return Data(data=item_out(await kept.write(change_item, viewer, item_id, change, now=kept.now())))


@router.delete("/{item_id}", status_code=204, responses=errors(403, 404))
async def delete_item(item_id: UUID, viewer: Saver, kept: KeptDep) -> None:
    """Remove the item from its library. Other libraries are not affected."""
    await kept.write(remove_items, viewer, [item_id], now=kept.now())


@router.post("/{item_id}/enrich", responses=errors(403, 404, 409, 429))
async def post_enrich(item_id: UUID, viewer: Writer, request: Request, kept: KeptDep) -> Data[ItemOut]:
    """Fetch the page's title, excerpt and image again. If it has no image, a screenshot is requested."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    request_id = request.state.request_id
    card = await enrich_item(kept.saver, viewer, item_id, request_id=request_id, now=kept.now())
    return Data(data=item_out(card))


@router.post("/{item_id}/ingest", status_code=202, responses=errors(404, 409, 429))
async def post_ingest(item_id: UUID, viewer: Writer, request: Request, kept: KeptDep) -> Data[ItemOut]:
    """Save the article of a page of which only the card was saved, or that failed. 409 if there is one already."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    request_id = request.state.request_id
    card = await ingest_item(kept.database, kept.notifier, viewer, item_id, request_id=request_id, now=kept.now())
    return Data(data=item_out(card))


@router.post("/{item_id}/move", responses=errors(403, 404))
async def post_move(item_id: UUID, body: MoveIn, viewer: Writer, kept: KeptDep) -> Data[ItemOut]:
    """Move an item to another library. It stays in the user's own library too."""
    return Data(data=item_out(await kept.write(move_item, viewer, item_id, body.library_id, now=kept.now())))


@router.get("/{item_id}/copies", responses=errors(404))
async def get_copies(item_id: UUID, viewer: Reader, kept: KeptDep) -> Data[list[CopyOut]]:
    """List the copies of the page in this library, newest first, including one that is being saved or has failed."""
    return Data(data=[copy_out(copy) for copy in await kept.read(list_copies, viewer, item_id)])


@router.post("/{item_id}/recapture", status_code=202, responses=errors(403, 404, 409, 429))
async def post_recapture(item_id: UUID, viewer: Writer, request: Request, kept: KeptDep) -> Data[list[CopyOut]]:
    """Save a new copy of the page. It replaces the current one when it is ready; if it fails, the current one stays."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    request_id = request.state.request_id
    await recapture_item(kept.database, kept.notifier, viewer, item_id, request_id=request_id, now=kept.now())
    return Data(data=[copy_out(copy) for copy in await kept.read(list_copies, viewer, item_id)])


@router.get(
    "/{item_id}/thumbnail",
    response_class=Response,
    responses={200: {"content": {"image/webp": {}}}, 304: {"description": "Not modified"}, **errors(404)},
)
async def get_thumbnail(item_id: UUID, viewer: Finder, request: Request, kept: KeptDep) -> Response:
    """Get the card's image as a thumbnail: the page's preview image, else a screenshot."""
    thumbnail = await kept.read(find_thumbnail, viewer, item_id)
    known = next((tag for tag in map(tag_of, thumbnail.keys) if is_known(request, tag)), None)
    if known is not None:
        return not_modified_response(known)
    image = await serve_thumbnail(kept.images, viewer, thumbnail)
    response = image_response(image.data, image.content_type, tag_of(image.key))
    # Not immutable: the item may get another image under the same URL.
    response.headers["Cache-Control"] = "private, max-age=86400"
    return response


@router.get(
    "/{item_id}/article.{file_format}",
    response_class=Response,
    responses={200: {"content": {kind.partition(";")[0]: {} for kind in CONTENT_TYPES.values()}}, **errors(404, 409)},
)
async def get_article_file(
    item_id: UUID, file_format: FileFormat, viewer: Reader, kept: KeptDep, highlights: WithHighlights = True
) -> Response:
    """Get the article as a self-contained file: HTML or EPUB with images, Markdown, or plain text."""
    now = kept.now()
    return file_response(
        await export_article(kept.images, viewer, item_id, file_format, now=now, with_highlights=highlights)
    )


@router.get(
    "/{item_id}/highlights.{highlight_format}",
    response_class=Response,
    responses={200: {"content": {kind.partition(";")[0]: {} for kind in HIGHLIGHT_TYPES.values()}}, **errors(404)},
)
async def get_highlights_file(
    item_id: UUID, highlight_format: HighlightFormat, viewer: Reader, request: Request, kept: KeptDep
) -> Response:
    """Get the user's highlights of a page as a file: Markdown with properties, CSV for Readwise, or W3C annotations."""
    base_url = find_base_url(request, kept)
    return file_response(await export_highlights(kept.database, viewer, item_id, highlight_format, base_url=base_url))


def file_response(file: ExportedFile) -> Response:
    headers = {
        "Content-Disposition": disposition(file.name),
        # if a browser shows it instead: no scripts, no frames, nothing from other hosts
        "Content-Security-Policy": f"sandbox; {POLICY}",
    }
    return Response(file.data, media_type=file.content_type, headers=headers)


# --- articles of pages of which only the card was saved: many at once -------------------------------------------------


ingest_router = APIRouter(prefix="/api/v1/ingest", tags=["items"])


class IngestIn(RequestModel):
    library_id: UUID | AllLibraries | None = Field(None, description=LIBRARY_ID)
    limit: Annotated[int, Field(ge=1, le=MAX_CARDS)] = MAX_CARDS


class IngestedOut(ApiModel):
    queued: int = Field(description="Pages whose articles will now be saved.")
    remaining: int = Field(description="Pages of which there is still only a card; send the request again for those.")


@ingest_router.post("", status_code=202, responses=errors(404, 429))
async def post_ingest_cards(
    viewer: Writer, request: Request, kept: KeptDep, body: IngestIn | None = None
) -> Data[IngestedOut]:
    """Save the articles of pages of which only the card was saved, because the server saved cards only."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    asked = body or IngestIn()
    wanted = CardsToIngest(asked.library_id, asked.limit, request.state.request_id)
    done = await ingest_cards(kept.database, kept.notifier, viewer, wanted, now=kept.now())
    return Data(data=IngestedOut.model_validate(done))
