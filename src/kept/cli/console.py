"""Standard output: as wide as the terminal; in a pipe or a file nothing is cut or wrapped.

rich is imported where something is shown to a person: 20 ms that the JSON of a short command does not need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console

UNLIMITED: Final = 10_000


def make_console() -> Console:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = UNLIMITED
    return console
