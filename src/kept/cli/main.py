"""`kept`: the command line. Each command lives in its own module; this one gathers them and speaks of failures.

Exit codes: 0 it worked, 1 it did not, 2 the command or the configuration is wrong.
"""

import sys

import typer

from kept.cli import accounts, config, doctor, migrate, serve
from kept.config import ConfigError
from kept.domain.errors import KeptError
from kept.storage.database import DatabaseUnreachable
from kept.storage.schema import SchemaMismatch

app = typer.Typer(
    help="Save a link, see it at once, keep the page for good.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(serve.serve)
app.command()(migrate.migrate)
app.command()(doctor.doctor)
app.command()(config.config)
app.add_typer(accounts.users_app, name="user", help="Accounts.")
app.add_typer(accounts.tokens_app, name="token", help="API tokens.")


def main() -> None:
    """Every expected failure is one clear line on standard error; a stack trace is a bug."""
    try:
        app()
    except ConfigError as error:
        fail(str(error), code=2)
    except (DatabaseUnreachable, SchemaMismatch, KeptError, serve.CannotListen) as error:
        fail(str(error), code=1)


def fail(message: str, *, code: int) -> None:
    for line in message.splitlines():
        print(f"kept: {line}", file=sys.stderr)
    sys.exit(code)
