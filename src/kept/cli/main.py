"""`kept`: the command line.

Exit codes: 0 it worked, 1 it did not, 2 the command or the configuration is wrong.

The modules of commands import services, the wiring and whatever is below them inside their functions: `kept --help` and
every short command would otherwise import the whole server.
"""

import errno
import os
import sys
from typing import Annotated

import typer

from kept.cli.accounts import tokens_app, users_app
from kept.cli.adding import add
from kept.cli.backup import backup, restore
from kept.cli.config import config
from kept.cli.doctor import doctor
from kept.cli.export import export
from kept.cli.extract import extract
from kept.cli.fetch import fetch
from kept.cli.importing import import_
from kept.cli.items import list_, search
from kept.cli.mcp import mcp
from kept.cli.queue import queue, retry, stats
from kept.cli.reading import open_, read
from kept.cli.schema import clean, migrate, reindex
from kept.cli.serving import serve
from kept.cli.worker import worker
from kept.domain.errors import FULL_DISK, KeptError, OperatorError
from kept.version import __version__

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


def show_version(wanted: bool) -> None:
    if wanted:
        print(f"kept {__version__}")
        raise typer.Exit


@app.callback()
def kept(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Save a link, see it at once, keep the page for good."""


app.command("serve")(serve)
app.command("worker", short_help="Run a worker as a separate process.")(worker)
app.command("queue", short_help="Show waiting and running jobs and the last failures.")(queue)
app.command("stats", short_help="Show how well saving goes: what was shown at once, and how quickly.")(stats)
app.command("retry", short_help="Retry failed pages, by id, URL or reason.")(retry)
app.command("add", short_help="Save links.")(add)
app.command("import", short_help="Import links from a browser or another app.")(import_)
app.command("list")(list_)
app.command("read", short_help="Read a saved article in the terminal.")(read)
app.command("open", short_help="Open a saved page in the browser.")(open_)
app.command("search", short_help="Search saved pages.")(search)
app.command("export", short_help="Export libraries: JSON with everything, bookmarks, CSV, EPUB, web pages.")(export)
app.command("backup", short_help="Back up everything on this server into one file.")(backup)
app.command("restore", short_help="Restore a backup.")(restore)
app.command("fetch", short_help="Fetch a URL through the egress gate and show each hop.")(fetch)
app.command("extract", short_help="Extract the article of a page, without saving it.")(extract)
app.command("migrate", short_help="Upgrade the database to the schema of this version.")(migrate)
app.command("clean", short_help="Delete pages that are in no library any more, and their files.")(clean)
app.command("reindex", short_help="Rebuild the search index.")(reindex)
app.command("mcp", short_help="Let an assistant search, read and save: an MCP server on standard input and output.")(
    mcp
)
app.command("doctor", short_help="Check everything Kept depends on.")(doctor)
app.command("config", short_help="Show every setting.")(config)
app.add_typer(users_app, name="user", help="Add, list and remove users, set passwords.")
app.add_typer(tokens_app, name="token", help="Create, list and revoke API tokens.")


def main() -> None:
    """Run a command. Every expected failure is one clear line on standard error; a stack trace is a bug."""
    try:
        try:
            app()
        finally:
            flush_output()
    except (OperatorError, KeptError) as error:
        complain(str(error))
        sys.exit(getattr(error, "exit_code", 1))
    except OSError as error:
        if error.errno not in FULL_DISK | {errno.EPIPE}:
            raise
        discard_output()
        if error.errno != errno.EPIPE:  # EPIPE: nobody reads our output any more
            complain(f"cannot write: {error.strerror}")
        sys.exit(1)


def complain(message: str) -> None:
    for line in message.splitlines():
        print(f"kept: {line}", file=sys.stderr)


def flush_output() -> None:
    """Write all output now, while a full disk can still be reported."""
    if sys.stdout is not None:
        sys.stdout.flush()


def discard_output() -> None:
    """Discard what was not written, so that Python does not try again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


if __name__ == "__main__":
    main()
