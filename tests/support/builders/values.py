"""Plain values for tests of rules: a media, an item, times that differ by minutes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from kept.domain.item import Item
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)

_MEDIA: Final = Media(
    id=UUID(int=1),
    kind="web_article",
    source_url="https://example.org/a",
    canonical_url=None,
    title=None,
    excerpt=None,
    byline=None,
    site_name=None,
    lang=None,
    published_at=None,
    preview_image_url=None,
    thumbnail_key=None,
    preview_error=None,
    favicon_url=None,
    metadata={},
    enrichment_status=EnrichmentStatus.PENDING,
    enrichment_error=None,
    enriched_at=None,
    processing_status=ProcessingStatus.PENDING,
    failure_code=None,
    failure_message=None,
    failure_stage=None,
    failure_details=None,
    processing_attempts=0,
    processing_started_at=None,
    processing_completed_at=None,
    failed_at=None,
    fetched_at=None,
    word_count=None,
    version=1,
    superseded_by=None,
    is_private=False,
    created_at=NOON,
    updated_at=NOON,
)
_ITEM: Final = Item(
    id=UUID(int=2),
    library_id=UUID(int=3),
    media_id=_MEDIA.id,
    url=_MEDIA.source_url,
    added_by=UUID(int=4),
    title=None,
    excerpt=None,
    note=None,
    created_at=NOON,
    updated_at=NOON,
)


def make_media(**fields: Any) -> Media:
    return replace(_MEDIA, **fields)


def make_item(**fields: Any) -> Item:
    return replace(_ITEM, **fields)


def minutes(number: float) -> datetime:
    """That long after noon."""
    return NOON + timedelta(minutes=number)
