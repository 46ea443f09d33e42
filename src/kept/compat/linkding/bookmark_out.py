"""Bookmarks and tags as linkding's API writes them. Which client needs what: docs/apps.md."""

from datetime import UTC, datetime
from typing import Any, Final

from kept.domain.synced import NumberedTag
from kept.services.syncing.lists import SyncedItem

ROOT: Final = "/linkding"
EPOCH: Final = datetime(2020, 1, 1, tzinfo=UTC)

Json = dict[str, Any]


def bookmark_out(found: SyncedItem) -> Json:
    card, media = found.card, found.card.media
    return {
        "id": found.number,
        "url": card.item.url,
        "title": card.title or "",
        "description": card.excerpt or "",
        "notes": card.item.note or "",
        "web_archive_snapshot_url": "",
        "favicon_url": media.favicon_url,
        "preview_image_url": media.preview_image_url,
        "is_archived": card.reading.is_archived,
        "unread": card.reading.read_at is None,
        "shared": False,
        "tag_names": list(card.tags),
        "date_added": write_moment(card.item.created_at),
        "date_modified": write_moment(found.state.changed_at),
        "website_title": None,
        "website_description": None,
    }


def write_moment(moment: datetime) -> str:
    """`2026-01-02T03:04:05.006313Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def tag_out(tag: NumberedTag) -> Json:
    """Kept does not know since when there is a tag."""
    return {"id": tag.number, "name": tag.name, "date_added": write_moment(EPOCH)}
