"""The only wiring: builds adapters from Settings. Entry points call this; nothing below knows of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from urllib.parse import urlsplit

from kept.clock import utc_now
from kept.config import Settings
from kept.fetch.gate import Gate
from kept.fetch.policy import EgressPolicy
from kept.fetch.resolver import AresResolver
from kept.jobs.announce import create_announcer
from kept.jobs.job import JobKind
from kept.jobs.running import Handler, Handlers
from kept.services.accounts.passwords import Passwords
from kept.services.images.image_store import ImageKeeper
from kept.services.importing.run_import import Importer, give_up_import, run_import
from kept.services.live_updates.follow_events import EventFeed
from kept.services.requests.rate_limits import RateLimits
from kept.services.saving.fill_card import CardFiller
from kept.services.saving.in_flight import Flights
from kept.services.saving.save_link import LinkSaver
from kept.storage.blobs.store import BlobStore, DiskBlobs, S3Blobs
from kept.storage.database.engine import Database, Durability
from kept.subprocesses.image_pool import ImagePool


@dataclass(frozen=True, slots=True)
class Kept:
    """Everything an entry point needs to call a service."""

    settings: Settings
    database: Database
    blobs: BlobStore
    passwords: Passwords
    rate_limits: RateLimits
    saver: LinkSaver
    images: ImageKeeper
    feed: EventFeed
    now: Callable[[], datetime] = utc_now

    @property
    def importer(self) -> Importer:
        return Importer(self.database, self.blobs, self.settings, self.images.pictures)

    @property
    def session_valid_for(self) -> timedelta:
        return timedelta(days=self.settings.session_days)


@asynccontextmanager
async def open_kept(settings: Settings, *, durability: Durability = "full") -> AsyncIterator[Kept]:
    database = Database(settings.sqlalchemy_url, durability=durability)
    passwords, flights = Passwords(), Flights()
    announcer = create_announcer(settings)
    async with Gate.from_settings(settings) as gate:
        filler = CardFiller(database, gate, settings)
        saver = LinkSaver(database, filler, flights, announcer, settings)
        blobs, pictures = create_blobs(settings), ImagePool.from_settings(settings)
        images, feed = ImageKeeper(database, blobs, gate, pictures, settings), EventFeed(database)
        try:
            yield Kept(settings, database, blobs, passwords, create_rate_limits(settings), saver, images, feed)
        finally:
            feed.close()
            await images.drain()
            await pictures.close()
            await flights.drain(settings.save_budget_seconds)
            announcer.close()
            passwords.close()
            await database.close()


@asynccontextmanager
async def open_handlers(settings: Settings, database: Database) -> AsyncIterator[Handlers]:
    """What runs each kind of job in a worker; the pools behind the handlers live as long as the context.

    A kind without a handler stays queued.
    """
    # A worker starts in a moment and idles small: what it needs for work is imported when there is work to wire.
    from kept.fetch.browser.pool import BrowserPool
    from kept.services.images.store_images import abandon_images, store_images
    from kept.services.ingesting.ingest_media import Ingester, fall_short, give_up, ingest_media
    from kept.services.ingesting.render_media import Renderer, render_media
    from kept.services.maintenance.tidy_up import tidy_now_and_then
    from kept.subprocesses.extractor_pool import ExtractorPool

    announcer, policy, resolver = create_announcer(settings), EgressPolicy.from_settings(settings), AresResolver()
    extractors = ExtractorPool.from_settings(settings)
    browsers = BrowserPool.from_settings(settings, policy=policy, resolver=resolver)
    async with Gate.from_settings(settings) as gate:
        can_render = settings.render != "never" and (settings.executor == "celery" or browsers.has_browser)
        ingester = Ingester(database, gate, extractors, announcer, settings, can_render)
        blobs, pictures = create_blobs(settings), ImagePool.from_settings(settings)
        renderer = Renderer(ingester, browsers, blobs)
        keeper = ImageKeeper(database, blobs, gate, pictures, settings)
        ends = partial(give_up, ingester), partial(fall_short, ingester)
        importer = Importer(database, blobs, settings, pictures)
        handlers = {
            JobKind.INGEST: Handler(partial(ingest_media, ingester), *ends),
            JobKind.STORE_IMAGES: Handler(partial(store_images, keeper), partial(abandon_images, keeper)),
            JobKind.IMPORT: Handler(partial(run_import, importer), partial(give_up_import, importer)),
        }
        if settings.render != "never":
            handlers[JobKind.RENDER] = Handler(partial(render_media, renderer), *ends)
        tidying = asyncio.create_task(tidy_now_and_then(database, blobs))
        try:
            yield handlers
        finally:
            tidying.cancel()
            await keeper.drain()
            await pictures.close()
            await browsers.close()
            await extractors.close()
            await resolver.close()
            announcer.close()


def create_rate_limits(settings: Settings) -> RateLimits:
    url = settings.rate_limit_storage_url
    rates = {"login": settings.login_rate, "save": settings.save_rate}
    return RateLimits(rates, url.get_secret_value() if url else None)  # type: ignore[arg-type]


def create_blobs(settings: Settings) -> BlobStore:
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
