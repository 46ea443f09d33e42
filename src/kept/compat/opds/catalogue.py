"""Which catalogues there are, and how lists of cards become catalogues. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from urllib.parse import quote, urlencode
from uuid import UUID, uuid5

from kept.compat.opds.atom import ACQUIRE, ACQUISITION, EPUB, FACET, IMAGE, NAVIGATION, THUMBNAIL, Entry, Feed, Link
from kept.domain.item import Card, ItemFilter
from kept.domain.library import Library
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import ImageKind, ImageLinks

# A catalogue has books: only items that can be read are in it.
READY: Final = ProcessingStatus.READY_FOR_READING
LISTS: Final = {
    "unread": ("Unread", ItemFilter(status=READY, is_unread=True, is_archived=False)),
    "favourites": ("Favourites", ItemFilter(status=READY, is_favourite=True)),
    "all": ("All articles", ItemFilter(status=READY, is_archived=False)),
    "archive": ("Archive", ItemFilter(status=READY, is_archived=True)),
}


OLDEST: Final = "oldest"
ORDERS: Final = {"": "Newest first", OLDEST: "Oldest first"}


@dataclass(frozen=True, slots=True)
class Place:
    """A list of articles: its path below the catalogues, its title, and its query except for the page."""

    path: str
    title: str
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Makes the feeds of one person."""

    user_id: UUID
    base_url: str
    """The URL of the catalogues, without a slash at its end."""
    now: datetime

    def write_root(self) -> Feed:
        lists = [self.point_to(name, title, ACQUISITION) for name, (title, _) in LISTS.items()]
        book = Entry(
            self.make_id("next.epub"),
            "The next 10 unread articles, as one book",
            self.now,
            [Link(ACQUIRE, f"{self.base_url}/next.epub", EPUB)],
        )
        others = [self.point_to("libraries", "Libraries", NAVIGATION), self.point_to("tags", "Tags", NAVIGATION)]
        return self.make_feed("", "Kept", NAVIGATION, [*lists, book, *others])

    def write_libraries(self, libraries: Sequence[Library]) -> Feed:
        entries = [self.point_to(f"libraries/{each.id}", each.name, ACQUISITION) for each in libraries]
        return self.make_feed("libraries", "Libraries", NAVIGATION, entries)

    def write_tags(self, tags: Sequence[tuple[str, int]]) -> Feed:
        named = [(f"tags/{quote(name, safe='')}", f"{name} ({count})") for name, count in tags]
        entries = [self.point_to(path, title, ACQUISITION) for path, title in named]
        return self.make_feed("tags", "Tags", NAVIGATION, entries)

    def write_cards(self, place: Place, cards: Sequence[Card], images: ImageLinks, cursor: str | None) -> Feed:
        """Write a page of a list; `cursor` is where the next page begins."""
        entries = [self.describe(card, images) for card in cards if card.media.is_readable]
        following = f"{self.base_url}/{place.path}?{urlencode({**place.query, 'cursor': cursor})}"
        more = [Link("next", following, ACQUISITION)] if cursor else []
        return self.make_feed(place.path, place.title, ACQUISITION, entries, [*more, *self.list_facets(place)])

    def list_facets(self, place: Place) -> Iterator[Link]:
        """Return links to the other lists and to the other order of this list."""
        if place.path not in LISTS:
            return
        order = place.query.get("order", "")
        for name, (title, _) in LISTS.items():
            href = f"{self.base_url}/{name}" + (f"?order={order}" if order else "")
            yield Link(FACET, href, ACQUISITION, title, "Show", is_active=name == place.path)
        for name, title in ORDERS.items():
            href = f"{self.base_url}/{place.path}" + (f"?order={name}" if name else "")
            yield Link(FACET, href, ACQUISITION, title, "Order", is_active=name == order)

    def describe(self, card: Card, images: ImageLinks) -> Entry:
        media = card.media
        links = [Link(ACQUIRE, f"{self.base_url}/items/{card.item.id}.epub", EPUB)]
        if media.has_image:
            cover = images.link_to(ImageKind.COVER, card.item.id)
            links += [Link(IMAGE, cover, "image/webp"), Link(THUMBNAIL, cover, "image/webp")]
        return Entry(
            card.item.id,
            card.title or card.item.url,
            card.item.updated_at,
            links,
            media.byline or media.site_name,
            media.published_at,
            card.excerpt,
            card.tags,
        )

    def point_to(self, path: str, title: str, kind: str) -> Entry:
        return Entry(self.make_id(path), title, self.now, [Link("subsection", f"{self.base_url}/{path}", kind)])

    def make_feed(self, path: str, title: str, kind: str, entries: Sequence[Entry], more: Sequence[Link] = ()) -> Feed:
        own = f"{self.base_url}/{path}".rstrip("/")
        links = [
            Link("self", own, kind),
            Link("start", self.base_url, NAVIGATION),
            Link("search", f"{self.base_url}/search?q={{searchTerms}}", "application/atom+xml"),
            *more,
        ]
        return Feed(self.make_id(path), title, self.now, links, entries)

    def make_id(self, path: str) -> UUID:
        return uuid5(self.user_id, f"opds {path}")
