"""Progress on standard error, where a person sees it and a pipe does not. Nothing is shown without a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


@contextmanager
def show_waiting(what: str) -> Iterator[None]:
    """For work that cannot tell how far it is."""
    with _open(SpinnerColumn(), TextColumn(what), TimeElapsedColumn()) as progress:
        progress.add_task("", total=None)
        yield


@contextmanager
def show_count(what: str) -> Iterator[Callable[[int], None]]:
    """For work that tells how much it has done, and not how much there is; yields the function to tell it."""
    with _open(SpinnerColumn(), TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()) as progress:
        bar = progress.add_task("", total=None)
        yield lambda done: progress.advance(bar, done)


def _open(*columns: SpinnerColumn | TextColumn | BarColumn | MofNCompleteColumn | TimeElapsedColumn) -> Progress:
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
