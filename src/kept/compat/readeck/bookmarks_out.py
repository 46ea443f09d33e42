"""Cards as Readeck writes bookmarks: every field its strict clients expect, none of them null. Pure.

Ids are letters and digits that encode Kept's own ids, so that an item's never changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any, Final
from urllib.parse import quote, urlsplit
from uuid import UUID

from kept.domain.errors import NotFound
from kept.domain.highlight import Highlight
from kept.domain.item import Card
from kept.domain.lifecycle import GIVEN_UP, ProcessingStatus
from kept.domain.media import ImageKind, ImageLinks, Media, image_asset_id
from kept.domain.text import direction_of
from kept.services.highlights.annotations import Annotation
from kept.services.highlights.lists import FoundHighlight

ALPHABET: Final = digits + ascii_uppercase + ascii_lowercase
VALUES: Final = {letter: value for value, letter in enumerate(ALPHABET)}
LENGTH: Final = 22  # this many of 62 characters are needed for 128 bits


def write_id(key: UUID) -> str:
    number, letters = key.int, []
    for _ in range(LENGTH):
        number, rest = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[rest])
    return "".join(reversed(letters))


def find_id(text: str) -> UUID | None:
    """Return the id of an item; None if the text can be no id."""
    if len(text) != LENGTH or not VALUES.keys() >= set(text):
        return None
    number = 0
    for letter in text:
        number = number * len(ALPHABET) + VALUES[letter]
    return UUID(int=number) if number < 2**128 else None


def parse_id(text: str) -> UUID:
    key = find_id(text)
    if key is None:
        raise NotFound
    return key


# --- bookmarks --------------------------------------------------------------------------------------------------------


LOADED, FAILED, LOADING = 0, 1, 2
DONE: Final = frozenset({ProcessingStatus.READY_FOR_READING, ProcessingStatus.CARD_ONLY})
# The apps need numbers here, and scale the image: a card's has at most this size.
CARD_SIZE: Final = {"width": 640, "height": 360}
ICON_SIZE: Final = {"width": 32, "height": 32}


def write_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class BookmarkWriter:
    """Writes the bookmarks of one person."""

    base_url: str
    """The URL of the API, such as `https://kept.example.org/readeck/api`."""
    images: ImageLinks

    def href(self, item_id: UUID) -> str:
        return f"{self.base_url}/bookmarks/{write_id(item_id)}"

    def write(self, card: Card, changed_at: datetime) -> dict[str, Any]:
        item, media, reading = card.item, card.media, card.reading
        site = find_site(item.url)
        return {
            "id": write_id(item.id),
            "href": self.href(item.id),
            "created": write_time(item.created_at),
            "updated": write_time(changed_at),
            "state": find_state(media),
            "loaded": find_state(media) != LOADING,
            "url": item.url,
            "title": card.title or item.url,
            "site_name": media.site_name or site,
            "site": site,
            "authors": [media.byline] if media.byline else [],
            "lang": media.lang or "",
            "text_direction": "rtl" if direction_of(media.lang) == "rtl" else "ltr",
            "document_type": "article",
            "type": "article",
            "has_article": media.is_readable,
            "description": card.excerpt or "",
            "is_deleted": False,
            "is_marked": reading.is_favourite,
            "is_archived": reading.is_archived,
            "labels": list(card.tags),
            "read_progress": find_progress(card),
            "resources": self.write_resources(card),
            **write_known(media),
        }

    def write_resources(self, card: Card) -> dict[str, Any]:
        media, href = card.media, self.href(card.item.id)
        found: dict[str, Any] = {"log": {"src": f"{href}/x/log"}, "props": {"src": f"{href}/x/props.json"}}
        if media.is_readable:
            found["article"] = {"src": f"{href}/article"}
        if media.has_image:
            cover = {"src": self.images.link_to(ImageKind.COVER, card.item.id), **CARD_SIZE}
            found |= {"image": cover, "thumbnail": cover}
        if media.favicon_url:
            icon_id = image_asset_id(media.id, media.favicon_url)
            found["icon"] = {"src": self.images.link_to(ImageKind.IMAGE, icon_id), **ICON_SIZE}
        return found

    def write_label(self, name: str, count: int) -> dict[str, Any]:
        quoted = quote(f'"{name}"', safe="")
        return {
            "name": name,
            "count": count,
            "href": f"{self.base_url}/bookmarks/labels/{quote(name, safe='')}",
            "href_bookmarks": f"{self.base_url}/bookmarks?labels={quoted}",
        }

    def write_annotation(self, annotation: Annotation) -> dict[str, Any]:
        highlight, place = annotation.highlight, annotation.selectors
        return {**describe_highlight(highlight), **place._asdict()}

    def write_found(self, found: FoundHighlight) -> dict[str, Any]:
        card, highlight = found.card, found.highlight
        href = self.href(card.item.id)
        return {
            **describe_highlight(highlight),
            "href": f"{href}/annotations/{write_id(highlight.id)}",
            "bookmark_id": write_id(card.item.id),
            "bookmark_href": href,
            "bookmark_url": card.item.url,
            "bookmark_title": card.title or card.item.url,
            "bookmark_site_name": card.media.site_name or find_site(card.item.url),
        }


def describe_highlight(highlight: Highlight) -> dict[str, Any]:
    return {
        "id": write_id(highlight.id),
        "text": highlight.quote.exact,
        "created": write_time(highlight.created_at),
        "updated": write_time(highlight.updated_at),
        "color": str(highlight.colour),
        "note": highlight.note or "",
    }


def find_site(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def find_state(media: Media) -> int:
    if media.processing_status in DONE:
        return LOADED
    return FAILED if media.processing_status in GIVEN_UP else LOADING


def find_progress(card: Card) -> int:
    """Return the progress in per cent; an item that is marked as read was read to its end."""
    return 100 if card.reading.read_at is not None else round(card.reading.progress * 100)


def write_known(media: Media) -> Mapping[str, Any]:
    """Return the fields that are left out if they are unknown: null would break strict clients."""
    known: dict[str, Any] = {}
    if media.published_at:
        known["published"] = write_time(media.published_at)
    if media.word_count is not None:
        known |= {"word_count": media.word_count, "reading_time": media.reading_minutes or 0}
    return known


def write_front_matter(card: Card) -> str:
    """Write YAML with quotes around every value: a date without them would not be read as text."""
    media = card.media
    said: list[tuple[str, str | Sequence[str] | None]] = [
        ("title", card.title or card.item.url),
        ("saved", f"{card.item.created_at:%Y-%m-%d}"),
        ("published", f"{media.published_at:%Y-%m-%d}" if media.published_at else None),
        ("website", find_site(card.item.url)),
        ("source", card.item.url),
        ("authors", [media.byline] if media.byline else None),
        ("labels", list(card.tags) or None),
    ]
    lines = [f"{name}: {write_yaml(value)}\n" for name, value in said if value]
    return "---\n" + "".join(lines) + "---\n\n"


def write_yaml(value: str | Sequence[str]) -> str:
    if isinstance(value, str):
        escaped = "".join(escape_yaml(letter) for letter in " ".join(value.split()))
        return f'"{escaped}"'
    return "[" + ", ".join(write_yaml(part) for part in value) + "]"


def escape_yaml(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    return f"\\U{ord(letter):08x}"
