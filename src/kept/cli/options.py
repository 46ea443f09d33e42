"""Options that several commands have."""

from pathlib import Path
from typing import Annotated, Final

import typer

# Out of and into a container, whose user owns none of the files outside.
STANDARD_STREAM: Final = Path("-")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsUser = Annotated[str | None, typer.Option("--user", help="The user to act as; optional if there is only one.")]
InLibrary = Annotated[str | None, typer.Option("--library", help="Name or id of a library; default: the personal one.")]
InLibraries = Annotated[
    str | None, typer.Option("--library", help="Name or id of a library, or `all`; default: the personal one.")
]
