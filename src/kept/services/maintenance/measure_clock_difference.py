"""How far the database's clock is from ours; machines that share work must agree about the time."""

from datetime import datetime, timedelta

from kept.domain.errors import Unavailable
from kept.storage.database.dialects import read_postgresql_clock
from kept.storage.database.engine import Database


async def measure_clock_difference(database: Database, *, now: datetime) -> timedelta | None:
    """None for SQLite, whose clock is ours, and for a database that is away."""
    if database.is_sqlite:
        return None
    try:
        return abs(now - await database.read(read_postgresql_clock))
    except (Unavailable, OSError):
        return None
