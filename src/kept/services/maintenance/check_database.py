"""Whether the database answers, for `kept doctor`."""

from kept.storage.database.engine import Database


async def check_database(database: Database) -> str:
    """Which database answers, and where, without its password; DatabaseUnreachable if it does not."""
    await database.check()
    if database.is_sqlite:
        return f"SQLite at {database.url.database}"
    return f"PostgreSQL at {database.url.host or 'its socket'}, {database.url.database}"
