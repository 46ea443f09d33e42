"""The commands of `kept`. Each lives in its own module, imported only when it is called."""

import gc
import importlib
import sys
from types import ModuleType
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from kept.cli.logs import log_warnings
from kept.version import __version__

# command -> (module and the function or group in it, what help says)
COMMANDS: Final = {
    "serve": ("kept.cli.serve:serve", "Start Kept: the API, the web pages and a worker."),
    "worker": ("kept.cli.worker:worker", "Run a worker as a separate process."),
    "queue": ("kept.cli.queue:queue", "Show waiting and running jobs and the last failures."),
    "stats": ("kept.cli.stats:stats", "Show how well saving goes: what was shown at once, and how quickly."),
    "retry": ("kept.cli.retry:retry", "Retry failed pages, by id, URL or reason."),
    "add": ("kept.cli.adding:add", "Save links."),
    "import": ("kept.cli.importing:import_", "Import links from a browser or another app."),
    "list": ("kept.cli.items:list_", "List saved links, newest first."),
    "read": ("kept.cli.reading:read", "Read a saved article in the terminal."),
    "open": ("kept.cli.reading:open_", "Open a saved page in the browser."),
    "search": ("kept.cli.search:search", "Search saved pages."),
    "export": ("kept.cli.export:export", "Export libraries: JSON with everything, bookmarks, CSV, EPUB, web pages."),
    "backup": ("kept.cli.backup:backup", "Back up everything on this server into one file."),
    "restore": ("kept.cli.backup:restore", "Restore a backup."),
    "fetch": ("kept.cli.fetch:fetch", "Fetch a URL through the egress gate and show each hop."),
    "extract": ("kept.cli.extract:extract", "Extract the article of a page, without saving it."),
    "migrate": ("kept.cli.migrate:migrate", "Upgrade the database to the schema of this version."),
    "clean": ("kept.cli.clean:clean", "Delete pages that are in no library any more, and their files."),
    "reindex": ("kept.cli.search:reindex", "Rebuild the search index."),
    "mcp": ("kept.cli.mcp:mcp", "Let an assistant search, read and save: an MCP server on standard input and output."),
    "doctor": ("kept.cli.doctor:doctor", "Check everything Kept depends on."),
    "config": ("kept.cli.config:config", "Show every setting."),
    "user": ("kept.cli.accounts:users_app", "Add, list and remove users, set passwords."),
    "token": ("kept.cli.tokens:tokens_app", "Create, list and revoke API tokens."),
}


class LazyCommands(TyperGroup):
    """Lists commands by their names alone and imports the one that is called: importing the server takes a second."""

    def list_commands(self, ctx: object) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | None:
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name][1]) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name else command, rest


def load_command(name: str) -> object:
    module, _, attribute = COMMANDS[name][0].partition(":")
    target = getattr(import_quickly(module), attribute)
    if not isinstance(target, typer.Typer):
        app = typer.Typer(add_completion=False)
        app.command(name)(target)
        target = app
    return typer.main.get_command(target)


def import_quickly(module: str) -> ModuleType:
    """Without the garbage collector, which finds nothing in what imports make and takes a tenth of the time."""
    gc.disable()
    imported = importlib.import_module(module)
    gc.freeze()
    gc.enable()
    if "structlog" in sys.modules:
        log_warnings()
    return imported


app = typer.Typer(cls=LazyCommands, no_args_is_help=True, pretty_exceptions_enable=False)


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
