"""Highlights: mark a passage of an article, list one's own, change, remove and restore them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import Field

from kept.api.access import KeptDep, Reader, Saver, Writer
from kept.api.envelope import ApiModel, Data, RequestModel, errors
from kept.api.requests import NEXT_CURSOR, Cursor, Day, IdempotencyKey, Moment
from kept.domain.highlight import (
    CONTEXT_LENGTH,
    DEFAULT_COLOUR,
    MAX_NOTE,
    MAX_QUOTE,
    Colour,
    Highlight,
    HighlightFilter,
    HighlightState,
    NewHighlight,
    parse_highlight_note,
    parse_quote,
)
from kept.domain.paging import PageRequest
from kept.services.highlights.highlights import (
    HighlightChange,
    change_highlight,
    create_highlight,
    get_highlight,
    remove_highlight,
    restore_highlight,
)
from kept.services.highlights.lists import MAX_MEDIA_PAGE, FoundHighlight, list_highlights, list_media_highlights
from kept.services.items.lists import MAX_PAGE
from kept.services.items.search import MAX_QUERY
from kept.services.requests.idempotency import StoredAnswer, answer_once

router = APIRouter(prefix="/api/v1", tags=["highlights"])

PREFIX = f"The text before it; the last {CONTEXT_LENGTH} characters are used."
SUFFIX = f"The text after it; the first {CONTEXT_LENGTH} characters are used."
HINT = "About how many characters of the article come before it; chooses among several equal places."
# No article is longer; a client that sends a whole page as context is not refused for it.
MOST_CHARACTERS = 1_000_000


class HighlightOut(ApiModel):
    """A highlight of the user. `start` and `end` count code points of the article's text; null if it is not found."""

    id: UUID
    media_id: UUID
    exact: str
    prefix: str
    suffix: str
    start: int | None
    end: int | None
    state: HighlightState
    colour: Colour
    note: str | None
    created_at: datetime
    updated_at: datetime


class FoundHighlightOut(HighlightOut):
    """A highlight with the item of its page."""

    item_id: UUID
    url: str
    title: str | None
    site_name: str | None


class MediaHighlightPage(ApiModel):
    data: list[HighlightOut]
    next_cursor: str | None = Field(description=NEXT_CURSOR)


class FoundHighlightPage(ApiModel):
    data: list[FoundHighlightOut]
    next_cursor: str | None = Field(description=NEXT_CURSOR)


class HighlightIn(RequestModel):
    exact: str = Field(description=f"The words as the page shows them; at most {MAX_QUOTE:,} characters.")
    prefix: Annotated[str, Field(max_length=MOST_CHARACTERS, description=PREFIX)] = ""
    suffix: Annotated[str, Field(max_length=MOST_CHARACTERS, description=SUFFIX)] = ""
    hint: Annotated[int, Field(ge=0, le=2**31 - 1, strict=True, description=HINT)] | None = None
    colour: Colour = DEFAULT_COLOUR
    note: Annotated[str, Field(description=f"At most {MAX_NOTE:,} characters.")] | None = None


class HighlightPatch(RequestModel):
    colour: Colour | None = None
    note: str | None = Field(None, description="Null removes it.")


class MediaHighlightQuery(RequestModel):
    cursor: Cursor | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_MEDIA_PAGE)] = 100


class HighlightQuery(RequestModel):
    q: Annotated[str, Field(max_length=MAX_QUERY, description="Words and phrases of the quote or the note.")] = ""
    colour: Colour | None = None
    site: Annotated[str, Field(max_length=300, description="`example.org` and what belongs to it.")] | None = None
    since: Moment | None = None
    until: Moment | None = None
    on_day: Day | None = Field(None, description="Those made on this day of earlier years (UTC).")
    cursor: Cursor | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 30


def highlight_fields(highlight: Highlight) -> dict[str, object]:
    quote, span = highlight.quote, highlight.span
    return {
        "exact": quote.exact,
        "prefix": quote.prefix,
        "suffix": quote.suffix,
        "start": span.start if span else None,
        "end": span.end if span else None,
    }


def highlight_out(highlight: Highlight) -> HighlightOut:
    return HighlightOut.of(highlight, **highlight_fields(highlight))


def found_highlight_out(highlight: FoundHighlight) -> FoundHighlightOut:
    card = highlight.card
    page = {"item_id": card.item.id, "url": card.item.url, "title": card.title, "site_name": card.media.site_name}
    return FoundHighlightOut.of(highlight.highlight, **highlight_fields(highlight.highlight), **page)


@router.get("/media/{media_id:uuid}/highlights", responses=errors(404))
async def get_media_highlights(
    media_id: UUID, query: Annotated[MediaHighlightQuery, Query()], viewer: Reader, kept: KeptDep
) -> MediaHighlightPage:
    """List the user's highlights on a page in the order of its text; those not found in this copy come last."""
    page = await kept.read(list_media_highlights, viewer, media_id, PageRequest(query.cursor, query.limit))
    return MediaHighlightPage(data=[highlight_out(found) for found in page.highlights], next_cursor=page.next_cursor)


@router.post(
    "/media/{media_id:uuid}/highlights",
    status_code=201,
    response_model=Data[HighlightOut],
    responses=errors(404, 409, 422, 429),
)
async def post_highlight(
    media_id: UUID, body: HighlightIn, viewer: Saver, kept: KeptDep, idempotency_key: IdempotencyKey = None
) -> JSONResponse:
    """Highlight a passage. 422 if its words are not in the article, 409 until there is one."""
    quote = parse_quote(body.exact, body.prefix, body.suffix)
    new = NewHighlight(quote, body.colour, parse_highlight_note(body.note), body.hint)

    async def work() -> StoredAnswer:
        await kept.rate_limits.require("save", "highlight", str(viewer.user_id))
        highlight = await create_highlight(kept.database, viewer, media_id, new, now=kept.now())
        return StoredAnswer(201, Data(data=highlight_out(highlight)).model_dump(mode="json"))

    request = f"POST /media/{media_id}/highlights {body.model_dump_json()}"
    answer = await answer_once(kept.database, viewer.user_id, idempotency_key, request, work, now=kept.now())
    return JSONResponse(answer.body, answer.status)


@router.get("/highlights")
async def get_highlights(
    query: Annotated[HighlightQuery, Query()], viewer: Reader, kept: KeptDep
) -> FoundHighlightPage:
    """List the user's highlights on all pages they can read, newest first."""
    wanted = HighlightFilter(query.q, query.colour, query.site, query.since, query.until, query.on_day)
    page = await kept.read(list_highlights, viewer, wanted, PageRequest(query.cursor, query.limit))
    return FoundHighlightPage(data=[found_highlight_out(found) for found in page.entries], next_cursor=page.next_cursor)


@router.get("/highlights/{highlight_id:uuid}", responses=errors(404))
async def get_one_highlight(highlight_id: UUID, viewer: Reader, kept: KeptDep) -> Data[HighlightOut]:
    return Data(data=highlight_out(await kept.read(get_highlight, viewer, highlight_id)))


@router.patch("/highlights/{highlight_id:uuid}", responses=errors(404, 409))
async def patch_highlight(
    highlight_id: UUID, body: HighlightPatch, viewer: Writer, kept: KeptDep
) -> Data[HighlightOut]:
    """Change the colour of a highlight, its note, or both."""
    change = HighlightChange(body.colour, body.note, changes_note="note" in body.model_fields_set)
    changed = await kept.write(change_highlight, viewer, highlight_id, change, now=kept.now())
    return Data(data=highlight_out(changed))


@router.delete("/highlights/{highlight_id:uuid}", status_code=204, responses=errors(404))
async def delete_highlight(highlight_id: UUID, viewer: Writer, kept: KeptDep) -> None:
    """Remove a highlight. For an hour it can be restored."""
    await kept.write(remove_highlight, viewer, highlight_id, now=kept.now())


@router.post("/highlights/{highlight_id:uuid}/restore", responses=errors(404))
async def post_restore_highlight(highlight_id: UUID, viewer: Writer, kept: KeptDep) -> Data[HighlightOut]:
    """Bring back a highlight that was removed within the last hour."""
    return Data(data=highlight_out(await kept.write(restore_highlight, viewer, highlight_id, now=kept.now())))
