"""What a server and most commands open: everything that routes, pages and commands call services with."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import ParamSpec, TypeVar

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.item import Card
from kept.fetch.gate import Gate
from kept.jobs.notifier import Notifier, create_notifier
from kept.services.accounts.secrets import Passwords
from kept.services.images.store import ImageStore
from kept.services.importing.files import Importer
from kept.services.items.copying import PageCapturer
from kept.services.live_updates.feed import EventFeed
from kept.services.reading.page_images import PageImages
from kept.services.requests.limits import RateLimits, UploadSlots
from kept.services.saving.cards import CardFiller, InFlight
from kept.services.saving.links import LinkSaver
from kept.services.saving.uploads import DocumentSaver, PageSaver
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database, Durability, UnitOfWork
from kept.subprocesses.cards import CardPool
from kept.subprocesses.images import ImagePool
from kept.subprocesses.pages import PageReaders
from kept.subprocesses.sidecar import explain_missing, find_node
from kept.wiring.stores import create_blobs

P = ParamSpec("P")
T = TypeVar("T")
OpenCards = Callable[[Settings], CardPool]


@dataclass(frozen=True, slots=True)
class Kept:
    """Everything an entry point needs to call a service."""

    settings: Settings
    database: Database
    blobs: BlobStore
    notifier: Notifier
    passwords: Passwords
    rate_limits: RateLimits
    saver: LinkSaver
    page_saver: PageSaver
    document_saver: DocumentSaver
    capturer: PageCapturer
    importer: Importer
    images: ImageStore
    page_images: PageImages
    feed: EventFeed
    uploads: UploadSlots = field(default_factory=UploadSlots)
    now: Callable[[], datetime] = utc_now
    missing_for_articles: str | None = None
    """What this machine lacks to make articles, if the server runs its own worker; else it cannot know."""

    async def read(self, work: UnitOfWork[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run a service that is one unit of work, in a transaction that only reads."""
        return await self.database.read(work, *arguments, **named)

    async def write(self, work: UnitOfWork[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run a service that is one unit of work, in a transaction that is committed when it returns."""
        return await self.database.write(work, *arguments, **named)

    @property
    def session_valid_for(self) -> timedelta:
        return timedelta(days=self.settings.session_days)


@asynccontextmanager
async def open_saver(
    settings: Settings, *, durability: Durability = "full", open_cards: OpenCards = CardPool.from_settings
) -> AsyncIterator[LinkSaver]:
    """Open what saves links, with a database of its own."""
    database, notifier = Database(settings.sqlalchemy_url, durability=durability), create_notifier(settings)
    in_flight: InFlight[Card | None] = InFlight()
    async with Gate.from_settings(settings) as gate:
        cards = open_cards(settings)
        try:
            yield LinkSaver(database, CardFiller(database, gate, cards, settings), in_flight, notifier, settings)
        finally:
            await in_flight.drain(settings.limits.save_budget_seconds)
            await cards.close()
            notifier.close()
            await database.close()


@asynccontextmanager
async def open_kept(
    settings: Settings, *, durability: Durability = "full", open_cards: OpenCards = CardPool.from_settings
) -> AsyncIterator[Kept]:
    """Open everything, for as long as the context lasts."""
    async with open_saver(settings, durability=durability, open_cards=open_cards) as saver:
        images = ImagePool.from_settings(settings)
        kept = assemble(settings, saver, create_blobs(settings), images)
        try:
            yield kept
        finally:
            kept.feed.close()
            await kept.images.drain()
            await kept.page_images.close()
            await images.close()
            kept.passwords.close()


def assemble(settings: Settings, saver: LinkSaver, blobs: BlobStore, images: ImagePool) -> Kept:
    database, notifier = saver.database, saver.notifier
    return Kept(
        settings,
        database,
        blobs,
        notifier,
        Passwords(),
        create_rate_limits(settings),
        saver,
        PageSaver(database, blobs, PageReaders.from_settings(settings), notifier, settings),
        DocumentSaver(database, blobs, notifier, settings),
        PageCapturer(database, notifier, settings),
        Importer.from_settings(settings, database, blobs, images),
        ImageStore(database, blobs, saver.filler.gate, images, settings),
        PageImages(database, blobs, settings),
        EventFeed(database),
        missing_for_articles=find_missing_for_articles(settings),
    )


def create_rate_limits(settings: Settings) -> RateLimits:
    url = settings.rate_limit_storage_url
    secret = url.get_secret_value() if url else None
    return RateLimits({"login": settings.login_rate, "save": settings.save_rate}, secret)


def find_missing_for_articles(settings: Settings) -> str | None:
    makes_articles = settings.executor == "local" and settings.role == "all"
    return explain_missing(find_node(settings.node)) if makes_articles else None
