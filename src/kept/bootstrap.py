"""The only wiring: builds adapters from Settings. Entry points call this; nothing below knows of it.

Each function imports what it opens: a command that needs the database alone, or a worker, starts without the rest.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar
from urllib.parse import urlsplit

from kept.clock import utc_now
from kept.services.requests.limits import UploadSlots
from kept.storage.database.driver import SQLITE_VERSION as SQLITE_VERSION  # for entry points
from kept.storage.database.engine import Database as Database  # for entry points

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from datetime import datetime

    from kept.config import Settings
    from kept.domain.item import Card
    from kept.domain.job import Queue
    from kept.jobs.local import LocalExecutor
    from kept.jobs.notifier import Notifier
    from kept.jobs.running import Handlers
    from kept.jobs.running import OpenHandlers as OpenHandlers  # for entry points
    from kept.services.accounts.secrets import Passwords
    from kept.services.images.store import ImageStore
    from kept.services.importing.files import Importer
    from kept.services.ingesting.worker import Renderer
    from kept.services.items.copying import PageCapturer
    from kept.services.live_updates.feed import EventFeed
    from kept.services.reading.page_images import PageImages
    from kept.services.requests.limits import RateLimits
    from kept.services.saving.links import LinkSaver
    from kept.services.saving.uploads import DocumentSaver, PageSaver
    from kept.storage.blobs.store import BlobStore
    from kept.storage.database.engine import Durability, UnitOfWork
    from kept.storage.site_rules import SiteRuleFolder
    from kept.subprocesses.images import ImagePool

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kept:
    """Everything an entry point needs to call a service."""

    settings: Settings
    database: Database
    blobs: BlobStore
    passwords: Passwords
    rate_limits: RateLimits
    saver: LinkSaver
    images: ImageStore
    feed: EventFeed
    page_images: PageImages
    uploads: UploadSlots = field(default_factory=UploadSlots)
    now: Callable[[], datetime] = utc_now
    missing_for_articles: str | None = None
    """What a server lacks whose own worker makes the articles; others cannot know what their workers have."""

    async def read(self, work: UnitOfWork[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run a service that is one unit of work, in a transaction that only reads."""
        return await self.database.read(work, *arguments, **named)

    async def write(self, work: UnitOfWork[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run a service that is one unit of work, in a transaction that is committed when it returns."""
        return await self.database.write(work, *arguments, **named)

    @property
    def notifier(self) -> Notifier:
        return self.saver.notifier

    @property
    def importer(self) -> Importer:
        return create_importer(self.settings, self.database, self.blobs, self.images.pool)

    @property
    def page_saver(self) -> PageSaver:
        from kept.services.saving.uploads import PageSaver
        from kept.subprocesses.pages import PageReaders

        readers = PageReaders.from_settings(self.settings)
        return PageSaver(self.database, self.blobs, readers, self.notifier, self.settings, self.now)

    @property
    def document_saver(self) -> DocumentSaver:
        from kept.services.saving.uploads import DocumentSaver

        return DocumentSaver(self.database, self.blobs, self.notifier, self.settings, self.now)

    @property
    def capturer(self) -> PageCapturer:
        from kept.services.items.copying import PageCapturer

        return PageCapturer(self.database, self.notifier, self.settings)

    @property
    def session_valid_for(self) -> timedelta:
        return timedelta(days=self.settings.session_days)


@asynccontextmanager
async def open_database(settings: Settings, *, durability: Durability = "full") -> AsyncIterator[Database]:
    database = Database(settings.sqlalchemy_url, durability=durability)
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def open_saver(settings: Settings, *, durability: Durability = "full") -> AsyncIterator[LinkSaver]:
    """What saves links, with a database of its own."""
    from kept.fetch.gate import Gate
    from kept.jobs.notifier import create_notifier
    from kept.services.saving.cards import CardFiller, InFlight
    from kept.services.saving.links import LinkSaver
    from kept.subprocesses.cards import CardPool

    database, notifier = Database(settings.sqlalchemy_url, durability=durability), create_notifier(settings)
    in_flight: InFlight[Card | None] = InFlight()
    async with Gate.from_settings(settings) as gate:
        cards = CardPool.from_settings(settings)
        try:
            yield LinkSaver(database, CardFiller(database, gate, cards, settings), in_flight, notifier, settings)
        finally:
            await in_flight.drain(settings.limits.save_budget_seconds)
            await cards.close()
            notifier.close()
            await database.close()


@asynccontextmanager
async def open_kept(settings: Settings, *, durability: Durability = "full") -> AsyncIterator[Kept]:
    from kept.services.accounts.secrets import Passwords
    from kept.services.images.store import ImageStore
    from kept.services.live_updates.feed import EventFeed
    from kept.services.reading.page_images import PageImages
    from kept.subprocesses.images import ImagePool

    passwords = Passwords()
    async with open_saver(settings, durability=durability) as saver:
        database, gate = saver.database, saver.filler.gate
        blobs, image_pool = create_blobs(settings), ImagePool.from_settings(settings)
        images, feed = ImageStore(database, blobs, gate, image_pool, settings), EventFeed(database)
        page_images = PageImages(database, blobs, settings)
        try:
            rates, missing = create_rate_limits(settings), find_missing_for_articles(settings)
            opened = (settings, database, blobs, passwords, rates, saver, images, feed, page_images)
            yield Kept(*opened, missing_for_articles=missing)
        finally:
            feed.close()
            await images.drain()
            await page_images.close()
            await image_pool.close()
            passwords.close()


def find_missing_for_articles(settings: Settings) -> str | None:
    from kept.subprocesses.sidecar import explain_missing, find_node

    makes_articles = settings.executor == "local" and settings.role == "all"
    return explain_missing(find_node(settings.node)) if makes_articles else None


@asynccontextmanager
async def open_handlers(settings: Settings, database: Database) -> AsyncIterator[Handlers]:
    """What runs each kind of job in a worker; the pools behind the handlers live as long as the context."""
    from kept.fetch.browser.pool import BrowserPool
    from kept.fetch.gate import Gate
    from kept.fetch.policy import EgressPolicy
    from kept.fetch.resolver import AresResolver
    from kept.jobs.notifier import create_notifier
    from kept.services.images.store import ImageStore
    from kept.services.ingesting.worker import Ingester, Renderer
    from kept.services.maintenance.cleaning import tidy_periodically
    from kept.services.pages.files import PageFiles
    from kept.subprocesses.extraction import ExtractorPool
    from kept.subprocesses.images import ImagePool
    from kept.subprocesses.pages import PageReaders

    notifier, policy, resolver = create_notifier(settings), EgressPolicy.from_settings(settings), AresResolver()
    extractors = ExtractorPool.from_settings(settings)
    browsers = BrowserPool.from_settings(settings, policy=policy, resolver=resolver)
    async with Gate.from_settings(settings) as gate:
        can_render = settings.render != "never" and (settings.executor == "celery" or browsers.has_browser)
        blobs, image_pool = create_blobs(settings), ImagePool.from_settings(settings)
        files = PageFiles(blobs, PageReaders.from_settings(settings), image_pool)
        rules = create_site_rules(settings.site_rules_folder)
        ingester = Ingester(database, gate, extractors, notifier, settings, can_render, files, site_rules=rules)
        store = ImageStore(database, blobs, gate, image_pool, settings)
        importer = create_importer(settings, database, blobs, image_pool)
        tidying = asyncio.create_task(tidy_periodically(ingester, blobs))
        try:
            yield map_handlers(Renderer(ingester, browsers, blobs), store, importer)
        finally:
            tidying.cancel()
            await store.drain()
            await image_pool.close()
            await browsers.close()
            await extractors.close()
            await resolver.close()
            notifier.close()


def map_handlers(renderer: Renderer, store: ImageStore, importer: Importer) -> Handlers:
    """A kind without a handler stays queued."""
    from kept.domain.job import JobKind
    from kept.jobs.running import Handler
    from kept.services.highlights.anchoring import abandon_anchoring, reanchor_highlights
    from kept.services.images.store import abandon_images, store_images
    from kept.services.importing.imports import abandon_import
    from kept.services.importing.running import run_import
    from kept.services.ingesting.attempts import on_attempt_failed, on_exhausted
    from kept.services.ingesting.captures import abandon_capture, capture_media
    from kept.services.ingesting.ingest import ingest_media
    from kept.services.ingesting.render import render_media

    ingester, extractors = renderer.ingester, renderer.ingester.extractors
    on_failure = partial(on_exhausted, ingester), partial(on_attempt_failed, ingester)
    handlers = {
        JobKind.INGEST: Handler(
            partial(ingest_media, ingester), *on_failure, extractors.warm_up, extractors.expect_backlog
        ),
        JobKind.STORE_IMAGES: Handler(partial(store_images, store), partial(abandon_images, store)),
        JobKind.IMPORT: Handler(partial(run_import, importer), partial(abandon_import, importer)),
        JobKind.ANCHOR_HIGHLIGHTS: Handler(
            partial(reanchor_highlights, ingester.database), partial(abandon_anchoring, ingester.database)
        ),
    }
    if ingester.settings.render != "never":
        handlers[JobKind.RENDER] = Handler(partial(render_media, renderer), *on_failure)
        handlers[JobKind.CAPTURE] = Handler(partial(capture_media, renderer), partial(abandon_capture, ingester))
    return handlers


@asynccontextmanager
async def open_executor(
    settings: Settings, slots: Mapping[Queue, int], handlers: OpenHandlers = open_handlers
) -> AsyncIterator[LocalExecutor]:
    """The local executor, with `slots` jobs at once for each queue."""
    from kept.jobs.local import LocalExecutor
    from kept.jobs.running import JobRunner, RunRules
    from kept.storage.queue.claiming import Claiming

    # Work can be redone, so that a commit need not wait for the disk as an answered save does.
    async with open_database(settings, durability="normal") as database, handlers(settings, database) as able:
        runner = JobRunner(database, able, RunRules.from_settings(settings))
        rules = Claiming.from_settings(settings)
        yield LocalExecutor(database, runner, slots=slots, rules=rules, drain_seconds=settings.drain_seconds)


def create_celery_worker(settings: Settings) -> object:
    """Celery's application."""
    from kept.jobs.celery import create_worker_app  # the celery extra

    return create_worker_app(settings, open_handlers)


def create_importer(settings: Settings, database: Database, blobs: BlobStore, images: ImagePool) -> Importer:
    from kept.services.importing.files import Importer
    from kept.subprocesses.imports import ImportReaders

    return Importer(database, blobs, settings, images, ImportReaders.from_settings(settings))


def create_rate_limits(settings: Settings) -> RateLimits:
    from kept.services.requests.limits import RateLimits

    url = settings.rate_limit_storage_url
    secret = url.get_secret_value() if url else None
    return RateLimits({"login": settings.login_rate, "save": settings.save_rate}, secret)


def create_site_rules(path: Path) -> SiteRuleFolder:
    """`path`: a folder, or one file."""
    from kept.storage.site_rules import SiteRuleFolder

    return SiteRuleFolder(path)


def create_blobs(settings: Settings) -> BlobStore:
    from kept.storage.blobs.store import DiskBlobs, S3Blobs

    if settings.blob_url is None:
        return DiskBlobs(settings.data_dir / "blobs")
    from obstore.store import S3Store  # the s3 extra

    bucket = urlsplit(settings.blob_url)
    secret, key = settings.s3_secret_access_key, settings.s3_access_key_id
    return S3Blobs(
        S3Store(
            bucket.netloc,
            prefix=bucket.path.strip("/") or None,
            region=settings.s3_region,
            endpoint=settings.s3_endpoint,
            access_key_id=key.get_secret_value() if key else None,
            secret_access_key=secret.get_secret_value() if secret else None,
            client_options={"allow_http": (settings.s3_endpoint or "").startswith("http://")},
            # obstore's own ten tries in three minutes are for batches; here a person waits, and jobs are tried again
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=5)},
        )
    )
