"""`kept token …`: API tokens, for administrators of the server."""

import json
import sys
from typing import Annotated

import typer

from kept.bootstrap import Database
from kept.cli.console import print_table
from kept.cli.options import AsJson
from kept.cli.running import run_on_database
from kept.clock import utc_now
from kept.domain.account import ApiToken, Scope, User, Viewer, parse_scopes
from kept.domain.errors import InvalidRequest, NotFound
from kept.services.accounts.tokens import create_token, list_tokens, revoke_token
from kept.services.accounts.users import get_user, list_users

tokens_app = typer.Typer(no_args_is_help=True, add_completion=False)

OfUser = Annotated[str | None, typer.Option("--user", help="Only tokens of this user; all users by default.")]
Owned = tuple[User, ApiToken]


@tokens_app.command("create")
def make_token(
    user: Annotated[str, typer.Option("--user", help="The user the token is for.")],
    scopes: Annotated[str, typer.Option("--scopes", help="read, save, write, admin; by commas.")] = "read,write",
    name: Annotated[str, typer.Option("--name", help="A name for the token.")] = "command line",
    as_json: AsJson = False,
) -> None:
    """Create an API token and print it on standard output. It is not shown again."""
    parsed = parse_scopes(scopes.split(","))

    async def action(database: Database) -> tuple[User, ApiToken, str]:
        viewer = Viewer(await get_user(database, user), frozenset(Scope))
        token, secret = await create_token(database, viewer, name=name, scopes=parsed, now=utc_now())
        return viewer.user, token, secret

    owner, token, secret = run_on_database(action)
    print(json.dumps({**describe(owner, token), "token": secret}) if as_json else secret)


@tokens_app.command("list")
def show_tokens(user: OfUser = None, as_json: AsJson = False) -> None:
    """List API tokens with their ids, scopes and last use. The tokens themselves are not stored."""
    found = run_on_database(lambda database: find_tokens(database, user))
    if as_json:
        print(json.dumps([describe(owner, token) for owner, token in found], indent=2))
        return
    # the id is copied for `revoke`
    print_table(("id", "user", "name", "scopes", "last used"), [row_of(*owned) for owned in found], whole_column=0)


def row_of(owner: User, token: ApiToken) -> tuple[str, ...]:
    used = f"{token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never"
    return str(token.id), owner.name, token.name, ", ".join(sorted(token.scopes)), used


@tokens_app.command("revoke")
def revoke(
    tokens: Annotated[list[str], typer.Argument(metavar="ID|NAME", help="Ids or names, as `kept token list` shows.")],
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Revoke API tokens: programs that use them are refused from now on. This can't be undone."""

    async def action(database: Database) -> list[Owned]:
        found = await find_tokens(database, user)
        chosen = [choose_token(found, named) for named in tokens]
        for owner, token in chosen:
            await revoke_token(database, Viewer(owner, frozenset(Scope)), token.id)
        return chosen

    revoked = run_on_database(action)
    if as_json:
        print(json.dumps([describe(owner, token) for owner, token in revoked], indent=2))
        return
    for owner, token in revoked:
        print(f"revoked {token.name} of {owner.name}", file=sys.stderr)


async def find_tokens(database: Database, user: str | None) -> list[Owned]:
    owners = [await get_user(database, user)] if user else await database.read(list_users)
    return [
        (owner, token)
        for owner in owners
        for token in await database.read(list_tokens, Viewer(owner, frozenset(Scope)))
    ]


def choose_token(found: list[Owned], named: str) -> Owned:
    fitting = [owned for owned in found if named in {str(owned[1].id), owned[1].name}]
    if not fitting:
        raise NotFound(f"There is no token {named}.")
    if len(fitting) > 1:
        raise InvalidRequest(f"Several tokens are named {named}: give an id, or --user.")
    return fitting[0]


def describe(owner: User, token: ApiToken) -> dict[str, object]:
    return {
        "id": str(token.id),
        "user": owner.name,
        "name": token.name,
        "scopes": sorted(token.scopes),
        "created_at": token.created_at.isoformat(),
        "last_used_at": token.last_used_at.isoformat() if token.last_used_at else None,
    }
