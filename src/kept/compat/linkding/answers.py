"""Bookmarks, tags and errors as linkding's server writes them (Django REST framework)."""

from datetime import UTC, datetime
from typing import Any, Final

from fastapi import Response
from fastapi.routing import APIRoute

from kept.compat.answering import PlainJson, routes_with_errors
from kept.domain.errors import Conflict, InvalidRequest, KeptError, Unauthorized
from kept.domain.synced import NumberedTag
from kept.services.syncing.lists import SyncedItem

ROOT: Final = "/linkding"
EPOCH: Final = datetime(2020, 1, 1, tzinfo=UTC)

Json = dict[str, Any]


def bookmark_out(item: SyncedItem) -> Json:
    card, media = item.card, item.card.media
    return {
        "id": item.number,
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
        "date_modified": write_moment(item.state.changed_at),
        "website_title": None,
        "website_description": None,
    }


def write_moment(moment: datetime) -> str:
    """Write a moment as `2026-01-02T03:04:05.006313Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def tag_out(tag: NumberedTag) -> Json:
    """Describe a tag. Kept does not know when it was added."""
    return {"id": tag.number, "name": tag.name, "date_added": write_moment(EPOCH)}


# --- errors -----------------------------------------------------------------------------------------------------------


def error_out(error: KeptError) -> Response:
    status = InvalidRequest.http_status if isinstance(error, Conflict) else error.http_status
    headers = {"WWW-Authenticate": "Token"} if isinstance(error, Unauthorized) else None
    return PlainJson({"detail": error.message}, status, headers)


LinkdingRoute: Final[type[APIRoute]] = routes_with_errors(error_out)
