"""A media as it stands in the world: what the web page says, and how far Kept has come with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import ceil
from typing import Any, Final
from uuid import UUID

from kept.domain.failures import MAY_BE_DOCUMENTS
from kept.domain.joined_pages import MissingPages, find_missing_pages
from kept.domain.lifecycle import EnrichmentStatus, LifecycleState, ProcessingStatus

WORDS_PER_MINUTE: Final = 230  # silent reading of non-fiction, the middle of what studies find


class MediaKind(StrEnum):
    """What is behind a URL, or in an uploaded file."""

    WEB_ARTICLE = "web_article"
    PDF = "pdf"
    EPUB = "epub"
    TEXT = "text"
    """Plain text, or Markdown."""
    IMAGE = "image"


@dataclass(frozen=True, slots=True)
class Media:
    id: UUID
    kind: str
    """One of `MediaKind`; a web article until it turns out to be something else."""
    source_url: str
    canonical_url: str | None
    title: str | None
    excerpt: str | None
    byline: str | None
    site_name: str | None
    lang: str | None
    published_at: datetime | None
    preview_image_url: str | None
    thumbnail_key: str | None
    preview_error: str | None
    """Why the preview image could not be stored: then it is none to show."""
    favicon_url: str | None
    metadata: Mapping[str, Any]
    enrichment_status: EnrichmentStatus
    enrichment_error: str | None
    enriched_at: datetime | None
    processing_status: ProcessingStatus
    failure_code: str | None
    failure_message: str | None
    failure_stage: str | None
    failure_details: Mapping[str, Any] | None
    processing_attempts: int
    processing_started_at: datetime | None
    processing_completed_at: datetime | None
    failed_at: datetime | None
    fetched_at: datetime | None
    word_count: int | None
    version: int
    superseded_by: UUID | None
    is_private: bool
    """Came with somebody's file: it never stands for the page to anybody else."""
    created_at: datetime
    updated_at: datetime
    accepts_documents: bool = True
    """False where a web article was asked for: then a file at the URL is a failure."""

    @property
    def state(self) -> LifecycleState:
        return LifecycleState(self.id, self.processing_status, self.enrichment_status, self.version)

    @property
    def is_readable(self) -> bool:
        return self.processing_status is ProcessingStatus.READY_FOR_READING

    @property
    def is_document(self) -> bool:
        return self.kind != MediaKind.WEB_ARTICLE

    @property
    def may_be_a_document(self) -> bool:
        """It failed because no file was wanted then, or none of its kind could be read."""
        return self.accepts_documents and self.failure_code in MAY_BE_DOCUMENTS

    @property
    def has_image(self) -> bool:
        has_preview = self.preview_image_url is not None and self.preview_error is None
        return has_preview or self.thumbnail_key is not None

    @property
    def is_video(self) -> bool:
        """Whether the page calls itself a video, as those of YouTube, Vimeo and PeerTube do."""
        opengraph = self.metadata.get("opengraph")
        kind = opengraph.get("type") if isinstance(opengraph, Mapping) else None
        return isinstance(kind, str) and kind.partition(".")[0].lower() == "video"

    @property
    def missing_pages(self) -> MissingPages | None:
        """Of an article that its site shows on several pages."""
        return find_missing_pages(self.metadata)

    @property
    def reading_minutes(self) -> int | None:
        return ceil(self.word_count / WORDS_PER_MINUTE) if self.word_count else None


@dataclass(frozen=True, slots=True)
class Capabilities:
    can_read: bool
    can_highlight: bool
    can_quote: bool


def derive_capabilities(media: Media, *, has_fragments: bool) -> Capabilities:
    return Capabilities(
        can_read=media.is_readable,
        can_highlight=media.is_readable and has_fragments,
        can_quote=media.is_readable and has_fragments,
    )
