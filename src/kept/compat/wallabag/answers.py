"""Entries and errors as wallabag's server writes them: an error is two texts, and a status that its clients act on."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import Response
from fastapi.routing import APIRoute

from kept.compat.answering import PlainJson, routes_with_errors
from kept.content.article.highlights.xpath_ranges import XPathRange, write_ranges
from kept.content.article.safe_html import SafeHtml
from kept.content.export_formats.article_file import ArticleFile, place_origins
from kept.domain.account import Viewer
from kept.domain.errors import Forbidden, InvalidRequest, KeptError, NotFound, RateLimited, Unauthorized
from kept.domain.highlight import Span
from kept.domain.item import WEB_SCHEMES
from kept.domain.synced import NumberedHighlight, NumberedTag
from kept.services.syncing.lists import SyncedArticle, SyncedItem
from kept.urls.identity import hash_url, undo_escapes

ROOT: Final = "/wallabag"
# Finding the ranges of a long article's annotations takes tens of milliseconds, and they seldom change.
KEPT_RANGES: Final = 64

Json = dict[str, Any]


def entry_out(entry: SyncedItem, viewer: Viewer, *, with_content: bool = True) -> Json:
    card, state, media = entry.card, entry.state, entry.card.media
    url = card.item.url
    return {
        "id": entry.number,
        "uid": None,
        "title": card.title or url,
        "url": url,
        "given_url": url,
        "origin_url": None,
        "hashed_url": hash_url(undo_escapes(url)),
        "hashed_given_url": hash_url(undo_escapes(url)),
        # numbers: booleans break the Android and iOS apps
        "is_archived": int(card.reading.is_archived),
        "is_starred": int(card.reading.is_favourite),
        "is_public": False,
        "is_not_parsed": 0 if media.is_readable else 1,
        "content": write_content(entry) if with_content else None,
        "created_at": write_moment(card.item.created_at),
        "updated_at": write_moment(state.changed_at),
        "archived_at": write_moment(state.archived_at),
        "starred_at": write_moment(state.favourite_at),
        "published_at": write_moment(media.published_at),
        "published_by": [media.byline] if media.byline else None,
        "tags": [tag_out(tag) for tag in entry.tags],
        "annotations": annotations_out(entry, viewer),
        "mimetype": "text/html",
        "language": media.lang,
        "reading_time": media.reading_minutes or 0,
        "domain_name": urlsplit(url).hostname if url.startswith(WEB_SCHEMES) else None,
        "preview_picture": media.preview_image_url,
        "http_status": "200" if media.is_readable else None,
        "headers": None,
        "user_id": 1,
        "user_name": viewer.user.name,
        "user_email": "",
        "_links": {"self": {"href": f"/api/entries/{entry.number}"}},
    }


def write_moment(moment: datetime | None) -> str | None:
    """Write a moment as `2026-01-02T03:04:05+0000`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S+0000") if moment else None


def write_content(entry: SyncedItem) -> str | None:
    """Return the article with the original URLs of its images: apps load them without a token."""
    if entry.article is None:
        return None
    return place_origins(ArticleFile(entry.card.media.id, "", entry.article.html, "", origins=entry.article.origins))


def tag_out(tag: NumberedTag) -> Json:
    return {"id": tag.number, "label": tag.name, "slug": f"t:{tag.name.replace(' ', '-')}"}


def counted_tag_out(tag: NumberedTag) -> Json:
    return tag_out(tag) | {"nbEntries": tag.count}


# --- annotations ----------------------------------------------------------------------------------------------


def annotations_out(entry: SyncedItem, viewer: Viewer) -> list[Json]:
    ranges = find_ranges(entry.article, entry.highlights)
    return [annotation_out(one, ranges.get(one.highlight.id), viewer) for one in entry.highlights]


def find_ranges(article: SyncedArticle | None, found: Sequence[NumberedHighlight]) -> Mapping[UUID, XPathRange | None]:
    if article is None or not found:
        return {}
    spans = tuple(one.highlight.span for one in found)
    return dict(zip((one.highlight.id for one in found), write_again(article.html, spans), strict=True))


@lru_cache(KEPT_RANGES)
def write_again(html: SafeHtml, spans: tuple[Span | None, ...]) -> list[XPathRange | None]:
    return write_ranges(html, spans)


def annotation_out(one: NumberedHighlight, place: XPathRange | None, viewer: Viewer) -> Json:
    highlight = one.highlight
    return {
        "id": one.number,
        "annotator_schema_version": "v1.0",
        "user": viewer.user.name,
        "text": highlight.note or "",
        "quote": highlight.quote.exact,
        "created_at": write_moment(highlight.created_at),
        "updated_at": write_moment(highlight.updated_at),
        "ranges": [range_out(place)] if place else [],
    }


def range_out(place: XPathRange) -> Json:
    return {
        "start": place.start,
        "startOffset": place.start_offset,
        "end": place.end,
        "endOffset": place.end_offset,
    }


# --- errors -----------------------------------------------------------------------------------------------------------


NAMES: Final[dict[type[KeptError], str]] = {
    Unauthorized: "invalid_grant",
    Forbidden: "insufficient_scope",
    NotFound: "not_found",
    RateLimited: "slow_down",
}
# The Android app reads any 400 as wrong credentials, so a bad request has another status.
UNPROCESSABLE: Final = 422


def error_out(error: KeptError) -> Response:
    status = UNPROCESSABLE if isinstance(error, InvalidRequest) else error.http_status
    name = next((name for kind, name in NAMES.items() if isinstance(error, kind)), "invalid_request")
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else None
    return PlainJson({"error": name, "error_description": error.message}, status, headers)


WallabagRoute: Final[type[APIRoute]] = routes_with_errors(error_out)
