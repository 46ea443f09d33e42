"""A media as it stands in the world: what the web page says, and how far Kept has come with it."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import ceil
from typing import Any, Final
from uuid import UUID, uuid5

from kept.domain.failures import MAY_BE_DOCUMENTS
from kept.domain.joined_pages import MissingPages, find_missing_pages
from kept.domain.lifecycle import EnrichmentStatus, LifecycleState, ProcessingStatus

WORDS_PER_MINUTE: Final = 230  # silent reading of non-fiction, the middle of what studies find
# The beginning of URLs that stand for images inside a file: a name that nobody can have (RFC 2606).
IN_FILE: Final = "https://in-file.invalid/"
SIGNATURE_LENGTH: Final = 32


class MediaKind(StrEnum):
    """The kind of thing that a URL or an uploaded file is."""

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
    """Why the preview image could not be stored; if set, it is not shown."""
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
    """Whether it came with somebody's file; it is never shown as the page to anybody else."""
    created_at: datetime
    updated_at: datetime
    accepts_documents: bool = True
    """Whether a file at the URL is accepted; if not, it is a failure, because a web article was asked for."""

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
        """Whether it failed because no file was wanted then, or none of its kind could be read."""
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
        """The missing pages of an article that its site shows on several."""
        return find_missing_pages(self.metadata)

    @property
    def reading_minutes(self) -> int | None:
        return ceil(self.word_count / WORDS_PER_MINUTE) if self.word_count else None


@dataclass(frozen=True, slots=True)
class Capabilities:
    can_read: bool
    can_highlight: bool
    can_quote: bool


class ImageKind(StrEnum):
    IMAGE = "image"
    """An image of an article or its page, by its own id."""
    COVER = "cover"
    """The image of a card, by the id of its item."""


@dataclass(frozen=True, slots=True)
class ImageLinks:
    """Makes image links for one person, for apps that send no token with images; each is signed with the person's key.

    A link shows only what that person may still see.
    """

    base_url: str
    user_id: UUID
    key: str

    def link_to(self, kind: ImageKind, subject_id: UUID) -> str:
        return f"{self.base_url}/linked-images/{self.user_id}/{kind}/{subject_id}/{sign(self.key, kind, subject_id)}"


def derive_capabilities(media: Media, *, has_fragments: bool) -> Capabilities:
    return Capabilities(
        can_read=media.is_readable,
        can_highlight=media.is_readable and has_fragments,
        can_quote=media.is_readable and has_fragments,
    )


def image_asset_id(media_id: UUID, url: str) -> UUID:
    """Return the id of an image, which is always the same for the same page and image URL."""
    return uuid5(media_id, url)


def sign(key: str, kind: ImageKind, subject_id: UUID) -> str:
    return hmac.new(key.encode(), f"{kind} {subject_id}".encode(), hashlib.sha256).hexdigest()[:SIGNATURE_LENGTH]


def is_signed(key: str, kind: ImageKind, subject_id: UUID, signature: str) -> bool:
    return hmac.compare_digest(sign(key, kind, subject_id).encode(), signature.encode("utf-8", "replace"))


def decide_after_fetch(*, has_image: bool) -> EnrichmentStatus:
    """Decide a card's status after a fetch: without an image a browser may still take a screenshot."""
    return EnrichmentStatus.SUCCEEDED if has_image else EnrichmentStatus.PENDING


def decide_at_the_end(media: Media) -> EnrichmentStatus:
    """Decide a card's status when no image will come: it succeeded if it says anything at all."""
    says_something = media.has_image or media.title is not None or media.excerpt is not None
    return EnrichmentStatus.SUCCEEDED if says_something else EnrichmentStatus.FAILED


def needs_settling(media: Media) -> bool:
    """Return whether a card still waits or shows a failure although its page has been read since."""
    return media.enrichment_status is not EnrichmentStatus.SUCCEEDED or media.enrichment_error is not None


def wants_screenshot(media: Media, *, can_render: bool) -> bool:
    """Return whether a screenshot is wanted; not of a file's page, which its site may lack now, nor of a document."""
    return can_render and not media.has_image and not media.is_private and not media.is_document
