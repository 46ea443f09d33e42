"""`kept user …` and `kept token …`: accounts and API tokens, for administrators of the server."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from kept.cli.output import AsJson, count, print_table
from kept.cli.running import run, run_on_database
from kept.clock import utc_now
from kept.domain.account import ApiToken, Scope, User, Viewer, parse_password, parse_scopes, parse_user_name
from kept.domain.errors import InvalidRequest, NotFound

if TYPE_CHECKING:
    from kept.services.accounts.users import UserRemoval
    from kept.wiring.server import Kept
    from kept.wiring.stores import Database

users_app = typer.Typer(no_args_is_help=True, add_completion=False)
tokens_app = typer.Typer(no_args_is_help=True, add_completion=False)

UserName = Annotated[str, typer.Argument(help="The user's name.")]
PasswordStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]
OfUser = Annotated[str | None, typer.Option("--user", help="Only tokens of this user; all users by default.")]
Owned = tuple[User, ApiToken]


# --- kept user ----------------------------------------------------------------------------------------------------


def read_password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        raise InvalidRequest("No terminal to ask for the password: use --password-stdin.")
    answer: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return answer


@users_app.command("add")
def add_user(
    name: UserName,
    admin: Annotated[bool, typer.Option("--admin", help="Make the user an administrator.")] = False,
    password_stdin: PasswordStdin = False,
    as_json: AsJson = False,
) -> None:
    """Create a user with a personal library."""
    from kept.services.accounts.users import create_user

    parsed, password = parse_user_name(name), parse_password(read_password(password_stdin))

    async def action(kept: Kept) -> User:
        return await create_user(
            kept.database, kept.passwords, name=parsed, password=password, is_admin=admin, now=kept.now()
        )

    added = run(action)
    if as_json:
        print(json.dumps(describe_user(added)))
    else:
        print(f"added {added.name}", file=sys.stderr)


@users_app.command("password")
def set_password(
    name: UserName,
    revoke_tokens: Annotated[
        bool, typer.Option("--revoke-tokens", help="Revoke the user's API tokens, too: apps are signed out.")
    ] = False,
    password_stdin: PasswordStdin = False,
    as_json: AsJson = False,
) -> None:
    """Set a new password and sign the user out of every browser. API tokens stay valid without --revoke-tokens."""
    from kept.services.accounts.sessions import reset_password
    from kept.services.accounts.users import get_user

    password = parse_password(read_password(password_stdin))

    async def action(kept: Kept) -> tuple[User, int]:
        user = await kept.read(get_user, name)
        passwords = kept.passwords
        return user, await reset_password(kept.database, passwords, user.id, password, revoke_tokens=revoke_tokens)

    user, revoked = run(action)
    if as_json:
        print(json.dumps({**describe_user(user), "revoked_tokens": revoked}))
    elif revoke_tokens:
        print(f"revoked {count(revoked, 'API token')} of {user.name}", file=sys.stderr)


@users_app.command("list")
def show_users(as_json: AsJson = False) -> None:
    """List users."""
    from kept.services.accounts.users import list_users

    found = run_on_database(lambda database: database.read(list_users))
    if as_json:
        print(json.dumps([describe_user(user) for user in found]))
        return
    rows = [(user.name, "yes" if user.is_admin else "", f"{user.created_at:%Y-%m-%d}") for user in found]
    print_table(("name", "administrator", "created"), rows)


@users_app.command("remove")
def remove(
    name: UserName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove a user with their own library, notes, tags and tokens. Shared libraries stay for their other members."""
    from kept.services.accounts.users import get_user, remove_user

    if not yes:
        preview = run(lambda kept: find_removal(kept, name))
        print(describe_removal(preview), file=sys.stderr)
        require_answer(f"Remove {preview.user.name}?")

    async def action(kept: Kept) -> UserRemoval:
        user = await kept.read(get_user, name)
        return await remove_user(kept.database, kept.blobs, user, now=kept.now())

    removed = run(action)
    if as_json:
        print(json.dumps(describe_removed(removed)))
    else:
        print(f"removed {removed.user.name}", file=sys.stderr)


def describe_user(user: User) -> dict[str, object]:
    return {"id": str(user.id), "name": user.name, "is_admin": user.is_admin}


def describe_removed(removed: UserRemoval) -> dict[str, object]:
    return {
        **describe_user(removed.user),
        "deleted_libraries": [{"id": str(library.id), "name": library.name} for library in removed.deleted],
        "deleted_items": removed.deleted_items,
        "handed_over_libraries": [
            {"id": str(shared.library.id), "name": shared.library.name, "owner": shared.successor.user_name}
            for shared in removed.handovers
        ],
        "revoked_tokens": removed.tokens,
    }


async def find_removal(kept: Kept, name: str) -> UserRemoval:
    from kept.services.accounts.users import get_user, preview_user_removal

    return await kept.read(preview_user_removal, await kept.read(get_user, name))


def describe_removal(removal: UserRemoval) -> str:
    name = removal.user.name
    deleted = ", ".join(f"“{library.name}”" for library in removal.deleted)
    lines = [
        f"Deleted with {name}: {deleted}, {count(removal.deleted_items, 'item')} with notes and tags, "
        f"{count(removal.tokens, 'API token')}, sessions, imports, favourites and reading positions.",
        "Pages that others saved too stay with them; the rest is deleted by the next clean-up.",
    ]
    lines += [
        f"“{shared.library.name}” stays; {shared.successor.user_name} manages it." for shared in removal.handovers
    ]
    return "\n".join([*lines, f"This can't be undone. `kept export --user {name} -o FILE` keeps a copy."])


def require_answer(question: str) -> None:
    if not sys.stdin.isatty():
        raise InvalidRequest("No terminal to ask: use --yes.")
    typer.confirm(question, abort=True, err=True)


# --- kept token ---------------------------------------------------------------------------------------------------


@tokens_app.command("create")
def make_token(
    user: Annotated[str, typer.Option("--user", help="The user the token is for.")],
    scopes: Annotated[str, typer.Option("--scopes", help="read, save, write, admin; by commas.")] = "read,write",
    name: Annotated[str, typer.Option("--name", help="A name for the token.")] = "command line",
    as_json: AsJson = False,
) -> None:
    """Create an API token and print it on standard output. It is not shown again."""
    from kept.services.accounts.tokens import create_token
    from kept.services.accounts.users import get_user

    parsed = parse_scopes(scopes.split(","))

    async def action(database: Database) -> tuple[User, ApiToken, str]:
        viewer = Viewer(await database.read(get_user, user), frozenset(Scope))
        token, secret = await database.write(create_token, viewer, name=name, scopes=parsed, now=utc_now())
        return viewer.user, token, secret

    owner, token, secret = run_on_database(action)
    print(json.dumps({**describe_token(owner, token), "token": secret}) if as_json else secret)


@tokens_app.command("list")
def show_tokens(user: OfUser = None, as_json: AsJson = False) -> None:
    """List API tokens with their ids, scopes and last use. The tokens themselves are not stored."""
    found = run_on_database(lambda database: find_tokens(database, user))
    if as_json:
        print(json.dumps([describe_token(owner, token) for owner, token in found], indent=2))
        return
    # people copy the id for `revoke`
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
    from kept.services.accounts.tokens import revoke_token

    async def action(database: Database) -> list[Owned]:
        found = await find_tokens(database, user)
        chosen = [choose_token(found, named) for named in tokens]
        for owner, token in chosen:
            await database.write(revoke_token, Viewer(owner, frozenset(Scope)), token.id)
        return chosen

    revoked = run_on_database(action)
    if as_json:
        print(json.dumps([describe_token(owner, token) for owner, token in revoked], indent=2))
        return
    for owner, token in revoked:
        print(f"revoked {token.name} of {owner.name}", file=sys.stderr)


async def find_tokens(database: Database, user: str | None) -> list[Owned]:
    from kept.services.accounts.tokens import list_tokens
    from kept.services.accounts.users import get_user, list_users

    owners = [await database.read(get_user, user)] if user else await database.read(list_users)
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


def describe_token(owner: User, token: ApiToken) -> dict[str, object]:
    return {
        "id": str(token.id),
        "user": owner.name,
        "name": token.name,
        "scopes": sorted(token.scopes),
        "created_at": token.created_at.isoformat(),
        "last_used_at": token.last_used_at.isoformat() if token.last_used_at else None,
    }
