"""The only wiring: builds adapters from Settings. Entry points call this; nothing below knows of it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from kept.config import Settings
from kept.fetch.gate import Gate
from kept.jobs.announce import create_announcer
from kept.services.fill_card import CardFiller
from kept.services.flights import Flights
from kept.services.passwords import Passwords
from kept.services.rate_limits import RateLimits
from kept.services.save_link import LinkSaver
from kept.storage.blobs import BlobStore, DiskBlobs, S3Blobs
from kept.storage.columns import utc_now
from kept.storage.database import Database, Durability


@dataclass(frozen=True, slots=True)
class Kept:
    """Everything an entry point needs to call a service."""

    settings: Settings
    database: Database
    blobs: BlobStore
    passwords: Passwords
    rate_limits: RateLimits
    saver: LinkSaver
    now: Callable[[], datetime] = utc_now

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
        try:
            yield Kept(settings, database, create_blobs(settings), passwords, create_rate_limits(settings), saver)
        finally:
            await flights.drain(settings.save_budget_seconds)
            announcer.close()
            passwords.close()
            await database.close()


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
        )
    )
