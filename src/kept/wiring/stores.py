"""What servers, workers and commands open alike: the database, the blob store and the folder of site rules."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from kept.config import Settings
from kept.storage.blobs.store import BlobStore, DiskBlobs, S3Blobs
from kept.storage.database.driver import SQLITE_VERSION as SQLITE_VERSION  # for entry points
from kept.storage.database.engine import Database as Database  # for entry points
from kept.storage.database.engine import Durability
from kept.storage.site_rules import SiteRuleFolder


@asynccontextmanager
async def open_database(settings: Settings, *, durability: Durability = "full") -> AsyncIterator[Database]:
    """Open the database. The caller has migrated its schema."""
    database = Database(settings.sqlalchemy_url, durability=durability)
    try:
        yield database
    finally:
        await database.close()


def create_site_rules(path: Path) -> SiteRuleFolder:
    """Read site rules from a folder, or from one file."""
    return SiteRuleFolder(path)


def create_blobs(settings: Settings) -> BlobStore:
    """Return the blob store: files in the data folder, or objects in S3."""
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
            # obstore's default of ten tries in three minutes is for batches; here a person waits, and jobs are retried
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=5)},
        )
    )
