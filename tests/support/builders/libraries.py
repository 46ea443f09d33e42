"""Libraries with pages in them: of one person through the services alone, and one of everything over HTTP."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from sqlalchemy import func, select

from kept.clock import utc_now
from kept.config import Settings
from kept.content.images.format import ImageFormat
from kept.domain.account import Viewer
from kept.domain.failures import FailureCode
from kept.domain.item import Card, parse_user_fields
from kept.domain.paging import PageRequest
from kept.jobs.notifier import NullNotifier
from kept.services.items.changes import ItemChange, ReadingChange, change_item
from kept.services.items.search import SearchPage, search_items
from kept.services.saving.cards import InFlight
from kept.services.saving.links import LinkSaver, LinkToSave, save_link
from kept.storage import libraries, media, tables
from kept.storage.database.engine import Database
from kept.storage.items import cards_from, select_cards
from kept.storage.search import index as search_index
from support.builders.accounts import make_viewer
from support.builders.articles import fail, ingest, store_images_of
from support.builders.pictures import picture
from support.fixtures.transactions import reading, writing
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

HOSTILE_TITLE = "../../</script><script>alert(1)</script>\u202egnp.=1" + "x" * 300
ARTICLE = """<h2>Part &amp; whole</h2><p>Words <b>of</b> it,&nbsp;<a href="/x?a=1&amp;b=2">a link</a>.</p>
<pre>  code\n    more</pre><img src="/a.png" alt="A"><img src="/b.avif" alt="B"><img src="/gone.png" alt="Gone">"""


@dataclass(frozen=True)
class Owner:
    """One person and their own library: saves, reads and searches through the services, without HTTP and network."""

    database: Database
    viewer: Viewer
    library_id: UUID

    async def save(
        self,
        url: str,
        *,
        title: str | None = None,
        excerpt: str | None = None,
        note: str | None = None,
        tags: Sequence[str] = (),
        library_id: UUID | None = None,
    ) -> Card:
        """A save that does not wait for the page, so that nothing is fetched."""
        saver = LinkSaver(self.database, cast("Any", None), InFlight(), NullNotifier(), Settings())
        link = LinkToSave(url, parse_user_fields(title, excerpt, note, tags), library_id, wait=False)
        return (await save_link(saver, self.viewer, link)).card

    async def keep(
        self, url: str, page_title: str | None, text: str, *, site_name: str | None = None, tags: Sequence[str] = ()
    ) -> Card:
        """A page with its article, as after ingestion."""
        card = await self.save(url, tags=tags)
        self.fill(card, page_title, site_name=site_name)
        paragraphs = "".join(f"<p>{line}</p>" for line in text.split("\n"))
        ingest(self.database, card.media.id, paragraphs, base_url=url)
        return card

    def fill(self, card: Card, title: str | None, *, site_name: str | None = None) -> None:
        """What the page says of itself."""
        with writing(self.database) as tx:
            media.update_media(tx, card.media.id, utc_now(), title=title, site_name=site_name)
            search_index.index_page(tx, card.media.id)

    async def mark(self, card: Card, **states: bool) -> None:
        """One's own reading state: is_favourite, is_archived, is_read."""
        change = ItemChange(reading=ReadingChange(**states))
        await self.database.write(change_item, self.viewer, card.item.id, change, now=utc_now())

    async def search(self, text: str, *, library_id: UUID | None = None, limit: int = 30) -> SearchPage:
        return await self.database.read(search_items, self.viewer, library_id, text, PageRequest(limit=limit))

    async def found(self, text: str, *, library_id: UUID | None = None) -> list[UUID]:
        return [result.card.item.id for result in (await self.search(text, library_id=library_id)).results]

    def cards(self, library_id: UUID | None = None) -> dict[str, Card]:
        """What a library holds, by URL."""
        query = select_cards(self.viewer.user_id).where(tables.items.c.library_id == (library_id or self.library_id))
        with reading(self.database) as tx:
            return {card.item.url: card for card in cards_from(tx, query)}

    def count(self, table: Any) -> int:
        with reading(self.database) as tx:
            return int(tx.execute(select(func.count()).select_from(table)).scalar_one())


def make_owner(database: Database, name: str = "ann") -> Owner:
    viewer = make_viewer(database, name)
    return Owner(database, viewer, database.run_read(libraries.get_default_library_id, viewer.user_id))


# --- one of everything, for tests of what leaves Kept and comes back -------------------------------------------------


@dataclass(frozen=True)
class FullLibrary:
    article: Any
    """Read, tagged, with a note, three images of which two are stored, and a screenshot."""
    hostile: Any
    """A ready article under a title meant to do harm."""
    failed: Any
    odd: Any
    """Not of the web."""
    team: Any
    """A second library that holds `article` too, under its own words."""


async def fill_library(running: RunningKept, person: Person, origin: Origin) -> FullLibrary:
    origin.file("/a.png", picture(ImageFormat.PNG), "image/png")
    origin.file("/b.avif", picture(ImageFormat.AVIF), "image/avif")
    head = '<title>The page</title><meta property="og:image" content="/a.png">'
    origin.page("/article", f"{head}<p>Words enough to be a page.</p>")
    words = {"note": "=mine\nin two lines", "tags": ["b tag", "a"], "title": "Über: Trees & Birds"}
    article = await person.save(origin.url("/article"), **words)
    ingest(running.kept.database, article["media_id"], ARTICLE, base_url=origin.url("/article"))
    await store_images_of(running, article["media_id"])
    await take_screenshot(running, article["media_id"])
    reading_state = {"is_favourite": True, "is_read": True, "progress": 0.25}
    article = (await person.patch(f"/api/v1/items/{article['id']}", reading_state)).data
    hostile = await person.save(origin.url("/hostile?a=1&b=<2>"), title=HOSTILE_TITLE[:500], wait=False)
    ingest(running.kept.database, hostile["media_id"], "<p>Harmless.</p>", base_url=origin.url("/hostile"))
    failed = await person.save(origin.url("/failed"), wait=False, note="@later")
    fail(running.kept.database, failed["media_id"], FailureCode.FETCH_FAILED)
    odd = await person.save("javascript:alert(1)", title="Odd")
    team = (await person.post("/api/v1/libraries", {"name": "Team: α/β"})).data
    await person.save(origin.url("/article"), library_id=team["id"], title="Ours", tags=["ours"])
    origin.handlers.clear()
    return FullLibrary(article, hostile, failed, odd, team)


async def take_screenshot(running: RunningKept, media_id: str) -> None:
    key = f"thumbnails/{media_id[-2:]}/{media_id.replace('-', '')}.webp"
    await running.kept.blobs.put(key, picture(ImageFormat.WEBP), "image/webp")
    with writing(running.kept.database) as tx:
        media.update_media(tx, UUID(media_id), running.kept.now(), thumbnail_key=key)
