"""How commands do their work on an up-to-date database: with the database alone, or with all of Kept."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from kept.bootstrap import Database, Kept, open_database, open_kept
from kept.cli.logs import log_warnings
from kept.config import Settings, load_settings
from kept.services.maintenance.ensure_schema import ensure_schema

T = TypeVar("T")
Opened = TypeVar("Opened")


def run(action: Callable[[Kept], Awaitable[T]]) -> T:
    """For work that fetches, stores files or reads pages: everything is imported and opened."""

    async def checked(kept: Kept) -> T:
        await kept.database.check()
        return await action(kept)

    log_warnings()
    return run_in(open_kept, checked)


def run_on_database(action: Callable[[Database], Awaitable[T]]) -> T:
    """For work that needs nothing else: it starts in a third of the time."""

    async def checked(database: Database) -> T:
        await database.check()
        return await action(database)

    return run_in(open_database, checked)


def run_in(
    opened: Callable[[Settings], AbstractAsyncContextManager[Opened]], action: Callable[[Opened], Awaitable[T]]
) -> T:
    settings = load_settings()

    async def inside() -> T:
        async with opened(settings) as value:
            return await action(value)

    ensure_schema(settings)
    return asyncio.run(inside())
