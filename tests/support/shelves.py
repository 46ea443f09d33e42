"""Libraries with pages in them, made by the real services but without a network: for tests of search."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.account import Scope, User, Viewer
from kept.domain.item import parse_user_fields
from kept.services.accounts.create_user import create_user
from kept.services.items.search_items import SearchPage, search_items
from kept.services.saving.save_link import LinkToSave, place_in
from kept.storage import items, media
from kept.storage.database.engine import Database
from kept.storage.search import index as search_index
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, parse_url
from support.articles import ingest
from support.transactions import reading, writing


@dataclass(frozen=True)
class Kept:
    item_id: UUID
    media_id: UUID


@dataclass(frozen=True)
class Shelf:
    """One person and their own library."""

    database: Database
    viewer: Viewer

    async def save(
        self,
        url: str,
        *,
        title: str | None = None,
        excerpt: str | None = None,
        note: str | None = None,
        tags: Sequence[str] = (),
        library_id: UUID | None = None,
    ) -> Kept:
        """What transaction one of a save does."""
        link = LinkToSave(url, parse_user_fields(title, excerpt, note, tags), library_id, wait=False)
        parsed = parse_url(url)
        assert isinstance(parsed, NormalisedUrl | OtherSchemeUrl)
        with writing(self.database) as tx:
            placed = place_in(tx, Settings(), self.viewer, link, parsed)
        return self.find(placed.media_id, placed.library_id)

    def find(self, media_id: UUID, library_id: UUID) -> Kept:
        with reading(self.database) as tx:
            item = items.find_item_of_media(tx, library_id, media_id)
        assert item is not None
        return Kept(item.id, media_id)

    async def keep(
        self, url: str, page_title: str | None, text: str, *, site_name: str | None = None, tags: Sequence[str] = ()
    ) -> Kept:
        """A page with its article, as after ingestion."""
        kept = await self.save(url, tags=tags)
        self.fill(kept, page_title, site_name=site_name)
        paragraphs = "".join(f"<p>{line}</p>" for line in text.split("\n"))
        ingest(self.database, kept.media_id, paragraphs, base_url=url)
        return kept

    def fill(self, kept: Kept, title: str | None, *, site_name: str | None = None) -> None:
        """What the page's card says."""
        with writing(self.database) as tx:
            media.update_media(tx, kept.media_id, utc_now(), title=title, site_name=site_name)
            search_index.index_page(tx, kept.media_id)

    async def search(self, text: str, *, library_id: UUID | None = None, limit: int = 30) -> SearchPage:
        return await search_items(self.database, self.viewer, library_id, text, limit=limit)

    async def found(self, text: str, *, library_id: UUID | None = None) -> list[UUID]:
        return [result.card.item.id for result in (await self.search(text, library_id=library_id)).results]


def open_shelf(database: Database, name: str = "ann") -> Shelf:
    with writing(database) as tx:
        user: User = create_user(tx, name=name, password_hash="x", is_admin=False, now=utc_now())
    return Shelf(database, Viewer(user, frozenset(Scope)))
