"""Where the embedded default keeps its data: one SQLite file and one folder of blobs."""

from pathlib import Path

from kept.config import Settings
from kept.storage.backup.create import BackupFailed
from kept.storage.database.sqlite import find_database_file


def find_embedded_files(settings: Settings) -> tuple[Path, Path]:
    """BackupFailed, with what to use instead, where the data lives elsewhere."""
    database, others = find_database_file(settings.sqlalchemy_url), []
    if database is None:
        others.append("the database is PostgreSQL: use pg_dump and pg_restore")
    if settings.blob_url is not None:
        others.append("blobs are in S3: use the bucket's versioning or replication")
    if database is None or others:
        told = "; ".join(others)
        raise BackupFailed(f"this works with SQLite and local blobs only, but {told}. See docs/operating.md.")
    return database, settings.data_dir / "blobs"
