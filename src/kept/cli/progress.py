"""Progress on standard error, where a person sees it and a pipe does not. Nothing is shown without a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)


@contextmanager
def show_waiting(what: str) -> Iterator[None]:
    """For work that cannot tell how far it is."""
    with open_progress(SpinnerColumn(), TextColumn(what), TimeElapsedColumn()) as progress:
        progress.add_task("", total=None)
        yield


@contextmanager
def show_steps() -> Iterator[Callable[[str], None]]:
    """For work of a few named steps; yields the function to tell which one begins."""
    with open_progress(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as progress:
        task = progress.add_task("", total=None)
        yield lambda step: progress.update(task, description=step)


@contextmanager
def show_share(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """For work whose amount is known; yields the function to tell how much more is done."""
    with open_progress(TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()) as progress:
        bar = progress.add_task("", total=total)
        yield lambda done: progress.advance(bar, done)


@contextmanager
def show_count(what: str) -> Iterator[Callable[[int], None]]:
    """For work that tells how much it has done, and not how much there is; yields the function to tell it."""
    with open_progress(
        SpinnerColumn(), TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    ) as progress:
        bar = progress.add_task("", total=None)
        yield lambda done: progress.advance(bar, done)


def open_progress(*columns: ProgressColumn) -> Progress:
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
