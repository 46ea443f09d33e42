"""Catalogues as Atom, as OPDS 1.2 requires and KOReader reads them: no element has a prefix, there is one author, and
`content` has a type and nothing else. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from kept.content.export_formats.epub_file import attribute, xml

NAVIGATION: Final = "application/atom+xml;profile=opds-catalog;kind=navigation"
ACQUISITION: Final = "application/atom+xml;profile=opds-catalog;kind=acquisition"
EPUB: Final = "application/epub+zip"
ACQUIRE: Final = "http://opds-spec.org/acquisition"
IMAGE: Final = "http://opds-spec.org/image"
THUMBNAIL: Final = "http://opds-spec.org/image/thumbnail"
FACET: Final = "http://opds-spec.org/facet"
BEGINNING: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opds="http://opds-spec.org/2010/catalog">\n'
)


@dataclass(frozen=True, slots=True)
class Link:
    rel: str
    href: str
    type: str
    title: str | None = None
    group: str | None = None
    """The group of choices that a facet belongs to."""
    is_active: bool = False
    """Whether this choice is the one that is shown."""


@dataclass(frozen=True, slots=True)
class Entry:
    id: UUID
    title: str
    updated_at: datetime
    links: Sequence[Link]
    author: str | None = None
    published_at: datetime | None = None
    content: str | None = None
    categories: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    id: UUID
    title: str
    updated_at: datetime
    links: Sequence[Link]
    entries: Sequence[Entry]


def write_feed(feed: Feed) -> bytes:
    parts = [BEGINNING, *write_head(feed.id, feed.title, feed.updated_at), "<author><name>Kept</name></author>\n"]
    parts += map(write_link, feed.links)
    parts += map(write_entry, feed.entries)
    return "".join([*parts, "</feed>\n"]).encode("utf-8", "replace")


def write_entry(entry: Entry) -> str:
    parts = ["<entry>\n", *write_head(entry.id, entry.title, entry.updated_at)]
    if entry.author:
        parts.append(f"<author><name>{xml(entry.author)}</name></author>\n")
    if entry.published_at:
        parts.append(f"<published>{write_time(entry.published_at)}</published>\n")
    parts += (f"<category term={attribute(term)} label={attribute(term)}/>\n" for term in entry.categories)
    if entry.content:
        parts.append(f'<content type="text">{xml(entry.content)}</content>\n')
    return "".join([*parts, *map(write_link, entry.links), "</entry>\n"])


def write_head(key: UUID, title: str, updated_at: datetime) -> list[str]:
    said = xml(" ".join(title.split())) or "Untitled"
    return [f"<id>urn:uuid:{key}</id>\n<title>{said}</title>\n<updated>{write_time(updated_at)}</updated>\n"]


def write_link(link: Link) -> str:
    said = {"rel": link.rel, "href": link.href, "type": link.type, "title": link.title, "opds:facetGroup": link.group}
    said |= {"opds:activeFacet": "true"} if link.is_active else {}
    return "<link " + " ".join(f"{name}={attribute(value)}" for name, value in said.items() if value) + "/>\n"


def write_time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
