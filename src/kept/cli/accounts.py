"""`kept user …` and `kept token …`: accounts and API tokens, for administrators of the server."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from kept.bootstrap import Kept, open_kept
from kept.cli.config import AsJson
from kept.config import load_settings
from kept.domain.account import ApiToken, Scope, User, Viewer, parse_password, parse_scopes, parse_user_name
from kept.domain.errors import InvalidRequest
from kept.services.accounts.create_token import create_token
from kept.services.accounts.create_user import create_user
from kept.services.accounts.get_user import get_user
from kept.services.accounts.list_tokens import list_tokens
from kept.services.accounts.list_users import list_users
from kept.services.accounts.reset_password import reset_password
from kept.services.maintenance.migrate_schema import migrate_schema

T = TypeVar("T")

users_app = typer.Typer(no_args_is_help=True, add_completion=False)
tokens_app = typer.Typer(no_args_is_help=True, add_completion=False)

UserName = Annotated[str, typer.Argument(help="The user's name.")]
PasswordStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]


def run(action: Callable[[Kept], Awaitable[T]]) -> T:
    """Run `action` on an up-to-date database."""
    settings = load_settings()

    async def inside() -> T:
        async with open_kept(settings) as kept:
            await kept.database.check()
            return await action(kept)

    migrate_schema(settings)
    return asyncio.run(inside())


def read_password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        raise InvalidRequest("No terminal to ask for the password: use --password-stdin.")
    answer: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return answer


async def get_viewer(kept: Kept, name: str) -> Viewer:
    return Viewer(await get_user(kept.database, name), frozenset(Scope))


@users_app.command("add")
def add_user(
    name: UserName,
    admin: Annotated[bool, typer.Option("--admin", help="Make the user an administrator.")] = False,
    password_stdin: PasswordStdin = False,
) -> None:
    """Create a user with a personal library."""
    parsed, password = parse_user_name(name), parse_password(read_password(password_stdin))

    async def action(kept: Kept) -> User:
        return await create_user(
            kept.database, kept.passwords, name=parsed, password=password, is_admin=admin, now=kept.now()
        )

    print(f"added {run(action).name}", file=sys.stderr)


@users_app.command("password")
def set_password(name: UserName, password_stdin: PasswordStdin = False) -> None:
    """Set a new password and sign the user out everywhere."""
    password = parse_password(read_password(password_stdin))

    async def action(kept: Kept) -> None:
        user = await get_user(kept.database, name)
        await reset_password(kept.database, kept.passwords, user.id, password)

    run(action)


@users_app.command("list")
def show_users(as_json: AsJson = False) -> None:
    """List users."""

    found = run(lambda kept: list_users(kept.database))
    if as_json:
        print(json.dumps([{"id": str(user.id), "name": user.name, "is_admin": user.is_admin} for user in found]))
        return
    table = Table("name", "administrator", "created", box=None)
    for user in found:
        table.add_row(user.name, "yes" if user.is_admin else "", f"{user.created_at:%Y-%m-%d}")
    Console().print(table)


@tokens_app.command("create")
def make_token(
    user: Annotated[str, typer.Option("--user", help="The user the token is for.")],
    scopes: Annotated[str, typer.Option("--scopes", help="read, write, admin; separated by commas.")] = "read,write",
    name: Annotated[str, typer.Option("--name", help="A name for the token.")] = "command line",
) -> None:
    """Create an API token and print it on standard output. It is not shown again."""
    parsed = parse_scopes(scopes.split(","))

    async def action(kept: Kept) -> str:
        viewer = await get_viewer(kept, user)
        _, secret = await create_token(kept.database, viewer, name=name, scopes=parsed, now=kept.now())
        return secret

    print(run(action))


@tokens_app.command("list")
def show_tokens(
    user: Annotated[str, typer.Option("--user", help="The user whose tokens to list.")],
    as_json: AsJson = False,
) -> None:
    """List a user's tokens, without their secrets."""

    async def action(kept: Kept) -> list[ApiToken]:
        return await list_tokens(kept.database, await get_viewer(kept, user))

    found = run(action)
    if as_json:
        print(json.dumps([{"id": str(t.id), "name": t.name, "scopes": sorted(t.scopes)} for t in found]))
        return
    table = Table("name", "scopes", "created", "last used", box=None)
    for token in found:
        used = f"{token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never"
        table.add_row(token.name, ",".join(sorted(token.scopes)), f"{token.created_at:%Y-%m-%d}", used)
    Console().print(table)
