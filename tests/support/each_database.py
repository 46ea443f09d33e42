"""A measurement on SQLite and on PostgreSQL, one after the other, each on a database of its own."""

import asyncio
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from kept.logs import set_up_logging
from support.databases import copy_postgres
from support.servers import run_postgres

KINDS: Final = ("sqlite", "postgresql")


def measure_on_each(measure: Callable[[str, Path], Coroutine[Any, Any, bool]], only: str | None) -> bool:
    """Whether all goals were met. `measure` gets the database's URL and a folder; `only`: on this one alone."""
    set_up_logging("warning", "console")
    met = [measure_on(kind, measure) for kind in KINDS if only in (None, kind)]
    return all(met)


def measure_on(kind: str, measure: Callable[[str, Path], Coroutine[Any, Any, bool]]) -> bool:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kept-bench-")))
        is_sqlite = kind == "sqlite"
        url = f"sqlite:///{folder}/kept.db" if is_sqlite else copy_postgres(stack.enter_context(run_postgres()))
        print(kind)
        return asyncio.run(measure(url, folder))
