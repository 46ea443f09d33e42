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
from kept.domain.account import Scope, User, Viewer, parse_password, parse_scopes, parse_user_name
from kept.domain.errors import InvalidRequest, NotFound
from kept.services.accounts import manage_tokens
from kept.services.accounts.create_user import create_user
from kept.storage import users
from kept.storage.database import schema

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

    schema.migrate(settings.sqlalchemy_url)
    return asyncio.run(inside())


def read_password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        raise InvalidRequest("No terminal to ask for the password: use --password-stdin.")
    answer: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return answer


async def get_user(kept: Kept, name: str) -> User:
    async with kept.database.read() as tx:
        user = await users.find_user_by_name(tx, parse_user_name(name))
    if user is None:
        raise NotFound(f"There is no user named {name}.")
    return user


@users_app.command("add")
def add_user(
    name: UserName,
    admin: Annotated[bool, typer.Option("--admin", help="Make the user an administrator.")] = False,
    password_stdin: PasswordStdin = False,
) -> None:
    """Create a user with a personal library."""
    parsed, password = parse_user_name(name), parse_password(read_password(password_stdin))

    async def action(kept: Kept) -> User:
        password_hash = await kept.passwords.hash(password)
        async with kept.database.write() as tx:
            return await create_user(tx, name=parsed, password_hash=password_hash, is_admin=admin, now=kept.now())

    print(f"added {run(action).name}", file=sys.stderr)


@users_app.command("password")
def change_password(name: UserName, password_stdin: PasswordStdin = False) -> None:
    """Set a new password and sign the user out everywhere."""
    password = parse_password(read_password(password_stdin))

    async def action(kept: Kept) -> None:
        user, password_hash = await get_user(kept, name), await kept.passwords.hash(password)
        async with kept.database.write() as tx:
            await users.update_password_hash(tx, user.id, password_hash)
            await users.delete_sessions_of(tx, user.id)

    run(action)


@users_app.command("list")
def list_users(as_json: AsJson = False) -> None:
    """List users."""

    async def action(kept: Kept) -> list[User]:
        async with kept.database.read() as tx:
            return await users.list_users(tx)

    found = run(action)
    if as_json:
        print(json.dumps([{"id": str(user.id), "name": user.name, "is_admin": user.is_admin} for user in found]))
        return
    table = Table("name", "administrator", "created", box=None)
    for user in found:
        table.add_row(user.name, "yes" if user.is_admin else "", f"{user.created_at:%Y-%m-%d}")
    Console().print(table)


@tokens_app.command("create")
def create_token(
    user: Annotated[str, typer.Option("--user", help="The user the token is for.")],
    scopes: Annotated[str, typer.Option("--scopes", help="read, write, admin; separated by commas.")] = "read,write",
    name: Annotated[str, typer.Option("--name", help="A name for the token.")] = "command line",
) -> None:
    """Create an API token and print it on standard output. It is not shown again."""
    parsed = parse_scopes(scopes.split(","))

    async def action(kept: Kept) -> str:
        viewer = Viewer(await get_user(kept, user), frozenset(Scope))
        _, secret = await manage_tokens.create_token(kept.database, viewer, name=name, scopes=parsed, now=kept.now())
        return secret

    print(run(action))


@tokens_app.command("list")
def list_tokens(
    user: Annotated[str, typer.Option("--user", help="The user whose tokens to list.")],
    as_json: AsJson = False,
) -> None:
    """List a user's tokens, without their secrets."""

    async def action(kept: Kept) -> list[users.ApiToken]:
        async with kept.database.read() as tx:
            return await users.list_tokens(tx, (await get_user(kept, user)).id)

    found = run(action)
    if as_json:
        print(json.dumps([{"id": str(t.id), "name": t.name, "scopes": sorted(t.scopes)} for t in found]))
        return
    table = Table("name", "scopes", "created", "last used", box=None)
    for token in found:
        used = f"{token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never"
        table.add_row(token.name, ",".join(sorted(token.scopes)), f"{token.created_at:%Y-%m-%d}", used)
    Console().print(table)
