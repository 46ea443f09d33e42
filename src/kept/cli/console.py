"""Standard output: as wide as the terminal; in a pipe or a file nothing is cut or wrapped."""

from typing import Final

from rich.console import Console

UNLIMITED: Final = 10_000


def make_console() -> Console:
    console = Console()
    if not console.is_terminal:
        console.width = UNLIMITED
    return console
