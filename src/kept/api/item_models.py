"""Items, search results and API tokens as the API and `--json` show them. Without FastAPI, commands start quickly."""

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from pydantic import Field

from kept.api.envelope import ApiModel
from kept.domain.account import ApiToken, Scope
from kept.domain.history import tell_enriched_at
from kept.domain.item import Card, find_link
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import MediaKind, image_asset_id

if TYPE_CHECKING:
    from kept.services.items.search import Result


class ReadingOut(ApiModel):
    is_favourite: bool
    is_archived: bool
    read_at: datetime | None
    progress: float


class ItemOut(ApiModel):
    """An item as the user sees it. `title` and `excerpt` are the library's custom ones, else the page's."""

    id: UUID
    library_id: UUID
    media_id: UUID
    url: str
    kind: MediaKind = Field(description="What the item is; a web article until it turns out to be a document.")
    link: str | None = Field(description="The URL to open; null unless it is http(s).")
    title: str | None
    excerpt: str | None
    note: str | None
    tags: list[str]
    own_title: str | None
    own_excerpt: str | None
    byline: str | None
    site_name: str | None
    lang: str | None
    published_at: datetime | None
    preview_image_url: str | None = Field(description="The URL of the page's preview image on its own site.")
    preview_src: str | None = Field(description="The card's image, served by Kept.")
    favicon_src: str | None = Field(description="The site's icon, served by Kept.")
    word_count: int | None
    reading_minutes: int | None
    enrichment_status: EnrichmentStatus
    enrichment_error: str | None
    enriched_at: datetime | None = Field(description="When the card was filled; null if the user saved the page later.")
    processing_status: ProcessingStatus
    failure_code: str | None
    failure_message: str | None
    reading: ReadingOut
    added_by: UUID | None
    created_at: datetime
    updated_at: datetime


class FoundOut(ItemOut):
    snippet: str | None = Field(
        description="The passage that matches, as HTML with `<mark>` as its only tag; null if no passage does."
    )
    page: int | None = Field(description="The page of a PDF where the passage stands; null for everything else.")


def item_out(card: Card) -> ItemOut:
    item, media = card.item, card.media
    return ItemOut(
        id=item.id,
        library_id=item.library_id,
        media_id=item.media_id,
        url=item.url,
        kind=MediaKind(media.kind),
        link=find_link(item.url),
        title=card.title,
        excerpt=card.excerpt,
        note=item.note,
        tags=list(card.tags),
        own_title=item.title,
        own_excerpt=item.excerpt,
        byline=media.byline,
        site_name=media.site_name,
        lang=media.lang,
        published_at=media.published_at,
        preview_image_url=media.preview_image_url,
        preview_src=f"/api/v1/items/{item.id}/thumbnail" if media.has_image else None,
        favicon_src=f"/api/images/{image_asset_id(media.id, media.favicon_url)}" if media.favicon_url else None,
        word_count=media.word_count,
        reading_minutes=media.reading_minutes,
        enrichment_status=media.enrichment_status,
        enrichment_error=media.enrichment_error,
        enriched_at=tell_enriched_at(card),
        processing_status=media.processing_status,
        failure_code=media.failure_code,
        failure_message=media.failure_message,
        reading=ReadingOut.model_validate(card.reading),
        added_by=item.added_by,
        created_at=item.created_at,
        updated_at=item.updated_at,
    )


def found_out(result: "Result") -> FoundOut:
    return FoundOut(**item_out(result.card).model_dump(), snippet=result.snippet, page=result.page)


# --- API tokens -------------------------------------------------------------------------------------------------------


class TokenOut(ApiModel):
    id: UUID
    name: str
    scopes: list[Scope]
    created_at: datetime
    last_used_at: datetime | None


class NewTokenOut(TokenOut):
    token: str


def token_out(token: ApiToken) -> TokenOut:
    return TokenOut.of(token, scopes=sorted(token.scopes))


def new_token_out(token: ApiToken, secret: str) -> NewTokenOut:
    return NewTokenOut(**token_out(token).model_dump(), token=secret)
