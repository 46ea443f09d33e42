"""How commands do their work on an up-to-date database: with the database alone, to save links, or with all of Kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, TypeVar

from kept.config import Settings, load_settings

if TYPE_CHECKING:
    from kept.services.saving.links import LinkSaver
    from kept.wiring.server import Kept
    from kept.wiring.stores import Database

T = TypeVar("T")
Opened = TypeVar("Opened")


def run(action: Callable[[Kept], Awaitable[T]]) -> T:
    """Run work that fetches, stores files or reads pages: everything is imported and opened."""
    from kept.wiring.server import open_kept

    return run_in(open_kept, lambda kept: kept.database, action)


def run_saving(action: Callable[[LinkSaver], Awaitable[T]]) -> T:
    """Run work that saves links, and needs nothing else of the server."""
    from kept.wiring.server import open_saver

    return run_in(open_saver, lambda saver: saver.database, action)


def run_on_database(action: Callable[[Database], Awaitable[T]]) -> T:
    """Run work that needs the database alone: it starts in a third of the time."""
    from kept.wiring.stores import open_database

    return run_in(open_database, lambda database: database, action)


def log_warnings() -> None:
    """Log to standard error. Without this, structlog would print on standard output, among the data."""
    from kept.logs import set_up_logging

    set_up_logging("warning", "auto")


def run_in(
    opened: Callable[[Settings], AbstractAsyncContextManager[Opened]],
    database_of: Callable[[Opened], Database],
    action: Callable[[Opened], Awaitable[T]],
) -> T:
    from kept.services.maintenance.schema import ensure_schema

    log_warnings()
    settings = load_settings()

    async def inside() -> T:
        async with opened(settings) as value:
            await database_of(value).check()
            return await action(value)

    ensure_schema(settings)
    return asyncio.run(inside())
