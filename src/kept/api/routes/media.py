"""Media: submit an article, get its status, content and history, retry it. Also mounted without `/api/v1`."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from kept.api.access import KeptDep, Reader, Writer
from kept.api.envelope import ApiModel, Data, DataWithNotices, RequestModel, errors, notices_out
from kept.domain.lifecycle import EnrichmentStatus, Lifecycle, ProcessingStatus
from kept.services.ingesting.retries import retry_media
from kept.services.pages.cards import SeenMedia, read_history, read_media
from kept.services.reading.articles import read_article
from kept.services.saving.links import submit_article
from kept.urls.url import MAX_URL_LENGTH

router = APIRouter(prefix="/media", tags=["media"])

Url = Annotated[str, Field(description=f"At most {MAX_URL_LENGTH:,} characters.")]

HIGHLIGHTS = Query(description="True: the user's highlights are marked in it, as `<mark data-highlight=…>`.")


class CapabilitiesOut(ApiModel):
    can_read: bool
    can_highlight: bool
    can_quote: bool


class MediaOut(ApiModel):
    """A media as every user with access to it sees it. Nothing here discloses who saved it, from where, or when."""

    id: UUID
    kind: str
    canonical_url: str | None
    title: str | None
    excerpt: str | None
    byline: str | None
    site_name: str | None
    lang: str | None
    published_at: datetime | None
    preview_image_url: str | None = Field(description="The URL of the page's preview image on its own site.")
    word_count: int | None
    reading_minutes: int | None
    enrichment_status: EnrichmentStatus
    enrichment_error: str | None
    enriched_at: datetime | None = Field(description="When the card was filled; null if the user saved the page later.")
    processing_status: ProcessingStatus
    processing_attempts: int
    failure_code: str | None
    failure_message: str | None
    failure_stage: str | None
    kept_at: datetime | None = Field(description="When this copy was saved; null if the user saved the page later.")
    capabilities: CapabilitiesOut


class FragmentOut(ApiModel):
    id: UUID
    ordinal: int
    html_sanitized: str


class FragmentsOut(ApiModel):
    fragments: list[FragmentOut]


class LineOut(ApiModel):
    """One step of the history. Times start when the user saved the page; details are counts and durations."""

    sort_key: int
    lifecycle: Lifecycle
    from_state: str | None
    to_state: str
    at: datetime | None
    next_retry_at: datetime | None
    details: dict[str, Any]


class TransitionsOut(ApiModel):
    transitions: list[LineOut]


class FromUrlOut(ApiModel):
    media_id: UUID
    duplicate: bool
    processing_status: ProcessingStatus
    ingest_enqueued: bool


class WebArticleIn(RequestModel):
    url: Url
    library_id: UUID | None = None


class FromUrlIn(RequestModel):
    url: Url


def media_out(seen: SeenMedia) -> MediaOut:
    told = {"kept_at": seen.kept_at, "enriched_at": seen.enriched_at, "capabilities": seen.capabilities}
    return MediaOut.of(seen.media, **told)


@router.post(
    "/web-articles",
    status_code=202,
    responses={200: {"model": DataWithNotices[MediaOut]}, **errors(403, 404, 409, 429)},
)
async def post_web_article(
    body: WebArticleIn, viewer: Writer, request: Request, response: Response, kept: KeptDep
) -> DataWithNotices[MediaOut]:
    """Save a page as an article. 202 for a new page, which a worker will fetch; 200 for a page that is known."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    submitted = await submit_article(
        kept.saver, viewer, body.url, library_id=body.library_id, request_id=request.state.request_id
    )
    response.status_code = 202 if submitted.is_new_media else 200
    return DataWithNotices(data=media_out(submitted.seen), notices=notices_out(submitted.notices))


@router.post("/from_url", status_code=202, responses=errors(409, 429))
async def post_from_url(
    body: FromUrlIn, viewer: Writer, request: Request, kept: KeptDep
) -> DataWithNotices[FromUrlOut]:
    """Save a page as an article in the user's own library; the response has its status."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    submitted = await submit_article(kept.saver, viewer, body.url, request_id=request.state.request_id)
    media = submitted.seen.media
    answer = FromUrlOut(
        media_id=media.id,
        duplicate=not submitted.is_new_media,
        processing_status=media.processing_status,
        ingest_enqueued=submitted.is_enqueued,
    )
    return DataWithNotices(data=answer, notices=notices_out(submitted.notices))


@router.get("/{media_id:uuid}", responses=errors(404))
async def get_media(media_id: UUID, viewer: Reader, kept: KeptDep) -> Data[MediaOut]:
    """Get a page's metadata and status. The id of a page that was merged into another returns the other."""
    return Data(data=media_out(await kept.read(read_media, viewer, media_id)))


@router.get("/{media_id:uuid}/fragments", responses=errors(404, 409))
async def get_fragments(
    media_id: UUID, viewer: Reader, kept: KeptDep, highlights: Annotated[bool, HIGHLIGHTS] = False
) -> Data[FragmentsOut]:
    """Get the article as sanitised HTML. 409 until it is ready."""
    article = await kept.read(read_article, viewer, media_id, with_highlights=highlights)
    fragment = FragmentOut(id=article.fragment_id, ordinal=0, html_sanitized=str(article.html))
    return Data(data=FragmentsOut(fragments=[fragment]))


@router.get("/{media_id:uuid}/transitions", responses=errors(404))
async def get_transitions(media_id: UUID, viewer: Reader, kept: KeptDep) -> Data[TransitionsOut]:
    """Get the history of a page, oldest first: every attempt, and why it failed."""
    lines = await kept.read(read_history, viewer, media_id)
    return Data(data=TransitionsOut(transitions=[LineOut.model_validate(line) for line in lines]))


@router.post("/{media_id:uuid}/retry", status_code=202, responses=errors(404, 409, 429))
async def post_retry(media_id: UUID, viewer: Writer, request: Request, kept: KeptDep) -> Data[MediaOut]:
    """Retry a failed or blocked page. 409 if there is nothing to retry."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    seen = await retry_media(
        kept.database,
        kept.notifier,
        viewer,
        media_id,
        request_id=request.state.request_id,
        now=kept.now(),
    )
    return Data(data=media_out(seen))
