"""User accounts: the set-up of the first one, creating, listing and removing them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from kept.domain.account import User, parse_password, parse_user_name, require_another_administrator
from kept.domain.errors import Conflict, Forbidden, NotFound
from kept.domain.library import Library, Member, Role
from kept.ids import new_id
from kept.services.accounts.secrets import Passwords, hash_secret, new_secret
from kept.storage import exports, imports, libraries, users
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Connection, Database
from kept.storage.exports import Selection


@dataclass(frozen=True, slots=True)
class Handover:
    """A shared library that stays when its owner is removed, and the member who becomes responsible for it."""

    library: Library
    successor: Member


@dataclass(frozen=True, slots=True)
class UserRemoval:
    user: User
    deleted: list[Library]
    """Their own library, and shared ones that have no other member."""
    deleted_items: int
    handovers: list[Handover]
    tokens: int


async def create_user(
    database: Database, passwords: Passwords, *, name: str, password: str, is_admin: bool, now: datetime
) -> User:
    """Create an account with its personal library."""
    name, password_hash = parse_user_name(name), await passwords.hash(parse_password(password))
    return await database.write(
        insert_user_with_library, name=name, password_hash=password_hash, is_admin=is_admin, now=now
    )


def get_user(tx: Connection, name: str) -> User:
    """Get a user by name, for whoever runs the server."""
    user = users.find_user_by_name(tx, parse_user_name(name))
    if user is None:
        raise NotFound(f"There is no user named {name}.")
    return user


def insert_user_with_library(tx: Connection, *, name: str, password_hash: str, is_admin: bool, now: datetime) -> User:
    """Insert an account and its personal library in one unit of work.

    The caller parses the name and hashes the password: hashing in a transaction would hold up all writers.
    """
    user = User(new_id(), name, is_admin, now)
    users.insert_user(tx, user, password_hash)
    library = Library(new_id(), "My library", user.id, is_default=True, created_at=now, updated_at=now)
    libraries.insert_library(tx, library)
    libraries.insert_member(tx, library.id, user.id, Role.ADMIN, now)
    return user


def list_users(tx: Connection) -> list[User]:
    """List every account; the entry point checks that whoever asks runs the server."""
    return users.list_users(tx)


def plan_user_removal(tx: Connection, user: User) -> UserRemoval:
    """Return which libraries removing a user deletes, and who takes over the others."""
    deleted, handovers = list[Library](), list[Handover]()
    for library, role in libraries.list_libraries(tx, user.id):
        successor = libraries.find_successor(tx, library.id, user.id)
        if library.is_default or successor is None:
            deleted.append(library)
        elif library.owner_id == user.id or (role is Role.ADMIN and successor.role is not Role.ADMIN):
            handovers.append(Handover(library, successor))
    items = exports.count_items(tx, user.id, [library.id for library in deleted], Selection.LISTED)
    return UserRemoval(user, deleted, items, handovers, len(users.list_tokens(tx, user.id)))


def preview_user_removal(tx: Connection, user: User) -> UserRemoval:
    """Return what removing a user would do, for the confirmation; raises Conflict where it is not allowed."""
    require_another_administrator(users.list_users(tx), leaving=user)
    return plan_user_removal(tx, user)


async def remove_user(database: Database, blobs: BlobStore, user: User, *, now: datetime) -> UserRemoval:
    """Remove a user with all that is theirs alone. Shared libraries with other members stay and get another owner.

    The pages themselves belong to everybody who saved them: those that nobody else has are left to the clean-up.

    Files they uploaded for imports are deleted too. Returns what was done.
    """
    removal, uploads = await database.write(_remove, user, now)
    for key in uploads:
        await blobs.delete(key)
    return removal


def _remove(tx: Connection, user: User, now: datetime) -> tuple[UserRemoval, Sequence[str]]:
    users.lock_administrators(tx)  # if the last two are removed at once, one must stay
    require_another_administrator(users.list_users(tx), leaving=user)
    for library, _ in libraries.list_libraries(tx, user.id):
        libraries.lock_library(tx, library.id)
    removal, uploads = plan_user_removal(tx, user), imports.list_blob_keys(tx, user.id)
    for handover in removal.handovers:
        _hand_over(tx, handover, now)
    for library in removal.deleted:
        libraries.delete_library(tx, library.id)
    users.delete_user(tx, user.id)
    return removal, uploads


def _hand_over(tx: Connection, handover: Handover, now: datetime) -> None:
    library, successor = handover.library, handover.successor
    libraries.change_owner(tx, library.id, successor.user_id, now)
    libraries.update_member_role(tx, library.id, successor.user_id, Role.ADMIN)


def is_set_up(tx: Connection) -> bool:
    return users.any_user_exists(tx)


def offer_set_up(tx: Connection, *, valid_for: timedelta, now: datetime) -> str | None:
    """Make the one-time link with which the first administrator is created.

    Returns a fresh secret for the link, or None once there is a user. An older link stops working.
    """
    secret = new_secret()
    is_offered = _replace_link(tx, hash_secret(secret), now, now + valid_for)
    return secret if is_offered else None


def _replace_link(tx: Connection, token_hash: str, now: datetime, expires_at: datetime) -> bool:
    if users.any_user_exists(tx):
        return False
    users.replace_setup_link(tx, token_hash, now, expires_at)
    return True


async def set_up(
    database: Database, passwords: Passwords, *, secret: str, name: str, password: str, now: datetime
) -> User:
    """Create the first administrator and library with the one-time link from `offer_set_up`."""
    name, password_hash = parse_user_name(name), await passwords.hash(parse_password(password))
    return await database.write(_create_first_administrator, hash_secret(secret), name, password_hash, now)


def _create_first_administrator(tx: Connection, token_hash: str, name: str, password_hash: str, now: datetime) -> User:
    if not users.use_setup_link(tx, token_hash, now):
        raise Forbidden("This set-up link is used up or too old. Restart Kept for a new one.")
    if users.any_user_exists(tx):
        raise Conflict("Kept is set up already.")
    return insert_user_with_library(tx, name=name, password_hash=password_hash, is_admin=True, now=now)
