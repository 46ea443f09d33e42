"""Kept's own export: how its manifest and its lines are spelt (docs/export-format.md). Pure; `export_library` fills it.

What stands here is what the viewer can see in the API, and no more: never a media's source URL, never a time from
before the viewer saved the page.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import Final
from uuid import UUID

from kept.content.article.article import ARTICLE_BEGINS, ARTICLE_ENDS
from kept.content.export_formats.article_file import ArticleFile, place_origins
from kept.domain.item import Card
from kept.domain.json import JsonObject, JsonValue
from kept.domain.library import Library

FORMAT: Final = "kept-export"
VERSION: Final = 1
MANIFEST: Final = "kept.json"
# Lines go into another file once one is this long: programs that read the export hold one in memory at a time.
MAX_ITEMS_BYTES: Final = 16 * 1024 * 1024
PAGE_FIELDS: Final = (
    *("canonical_url", "title", "excerpt", "byline", "site_name", "lang", "published_at"),
    *("preview_image_url", "favicon_url", "word_count"),
    *("processing_status", "failure_code", "failure_message", "enrichment_status"),
)


# Opened in a browser it shows text and asks no site for its images, so that reading tells nobody.
ARTICLE_POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True, slots=True)
class ExportedImage:
    """An image of a page: where it came from, and its file in the export if Kept has it."""

    origin_url: str
    file: str | None


@dataclass(frozen=True, slots=True)
class ExportedCapture:
    """A file of the whole page."""

    format: str
    file: str


@dataclass(frozen=True, slots=True)
class ExportedPage:
    """The files in an item's line: its article, its images, the screenshot of its card."""

    kept_at: datetime | None = None
    article: str | None = None
    canonical_version: int | None = None
    images: Sequence[ExportedImage] = ()
    screenshot: str | None = None
    newer_copy: UUID | None = None
    highlights: str | None = None
    captures: Sequence[ExportedCapture] = ()


@dataclass(frozen=True, slots=True)
class ExportedNumbers:
    """The numbers that apps use for an item and its tags."""

    item: int | None = None
    tags: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExportedCounts:
    """The counts in the manifest."""

    items: int
    files: int
    last_number: int
    """The highest number the server had assigned; what is saved after an import gets higher ones."""


def folder_of(media_id: UUID) -> str:
    return f"media/{media_id}"


def items_file(number: int) -> str:
    return f"items-{number:04}.jsonl"


def write_manifest(
    libraries: Iterable[Library], counts: ExportedCounts, *, made_at: datetime, kept_version: str
) -> bytes:
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "made_at": spell(made_at),
        "made_by": f"Kept {kept_version}",
        "libraries": [describe_library(library) for library in libraries],
        "items": {"count": counts.items, "files": [items_file(number + 1) for number in range(counts.files)]},
        "last_number": counts.last_number,
    }
    return f"{json.dumps(manifest, indent=2, ensure_ascii=False)}\n".encode("utf-8", "replace")


def describe_library(library: Library) -> JsonObject:
    return {
        "id": str(library.id),
        "name": library.name,
        "is_default": library.is_default,
        "created_at": spell(library.created_at),
    }


def write_line(card: Card, page: ExportedPage, numbers: ExportedNumbers) -> str:
    return json.dumps(describe_item(card, page, numbers), ensure_ascii=False, separators=(",", ":")) + "\n"


def describe_item(card: Card, page: ExportedPage, numbers: ExportedNumbers) -> JsonObject:
    item, media, reading = card.item, card.media, card.reading
    return {
        "id": str(item.id),
        "number": numbers.item,
        "library": str(item.library_id),
        "media": str(item.media_id),
        "newer_copy": str(page.newer_copy) if page.newer_copy else None,
        "url": item.url,
        "title": item.title,
        "excerpt": item.excerpt,
        "note": item.note,
        "tags": list(card.tags),
        "tag_numbers": [numbers.tags.get(tag) for tag in card.tags],
        "created_at": spell(item.created_at),
        "updated_at": spell(item.updated_at),
        "reading": {
            "is_favourite": reading.is_favourite,
            "is_archived": reading.is_archived,
            "read_at": spell(reading.read_at),
            "progress": reading.progress,
        },
        "page": {name: spell(getattr(media, name)) for name in PAGE_FIELDS} | {"kept_at": spell(page.kept_at)},
        "article": {"file": page.article, "canonical_version": page.canonical_version} if page.article else None,
        "images": [{"origin_url": image.origin_url, "file": image.file} for image in page.images],
        "screenshot": page.screenshot,
        "highlights": page.highlights,
        "whole_page": [{"format": one.format, "file": one.file} for one in page.captures],
    }


def write_article(article: ArticleFile) -> bytes:
    """Write the article's markup as it was made safe, with images under the URLs they came from.

    So the file means something to others too; and read back, each image gets its new id from its URL. Safe markup has
    no `article` tag, so that the first and the last one are ours.
    """
    lang = f' lang="{escape(article.lang)}"' if article.lang else ""
    head = (
        f'<!doctype html>\n<html{lang}>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{ARTICLE_POLICY}">\n'
        f"<title>{escape(article.title)}</title>\n{ARTICLE_BEGINS}"
    )
    return f"{head}{place_origins(article)}{ARTICLE_ENDS}\n".encode("utf-8", "replace")


def spell(value: datetime | JsonValue) -> JsonValue:
    """Return a date as ISO 8601 in UTC, to the microsecond, and any other value as it is."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value
