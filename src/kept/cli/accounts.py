"""`kept user …`: accounts, for administrators of the server."""

import json
import sys
from typing import Annotated

import typer

from kept.bootstrap import Kept
from kept.cli.console import print_table
from kept.cli.counts import count
from kept.cli.options import AsJson
from kept.cli.running import run, run_on_database
from kept.domain.account import User, parse_password, parse_user_name
from kept.domain.errors import InvalidRequest
from kept.services.accounts.sessions import reset_password
from kept.services.accounts.users import (
    UserRemoval,
    create_user,
    get_user,
    list_users,
    preview_user_removal,
    remove_user,
)

users_app = typer.Typer(no_args_is_help=True, add_completion=False)

UserName = Annotated[str, typer.Argument(help="The user's name.")]
PasswordStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]


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
    password = parse_password(read_password(password_stdin))

    async def action(kept: Kept) -> tuple[User, int]:
        user = await get_user(kept.database, name)
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
    if not yes:
        preview = run(lambda kept: find_removal(kept, name))
        print(describe_removal(preview), file=sys.stderr)
        require_answer(f"Remove {preview.user.name}?")

    async def action(kept: Kept) -> UserRemoval:
        user = await get_user(kept.database, name)
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
    return await kept.read(preview_user_removal, await get_user(kept.database, name))


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
