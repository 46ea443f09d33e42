"""Signing in with a name and a password, web sessions, and the viewer behind a credential."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import (
    Session,
    User,
    Viewer,
    find_device_id,
    is_due_for_touch,
    make_device_mark,
    parse_password,
    parse_user_name,
)
from kept.domain.errors import Forbidden, InvalidRequest, NotFound, Unauthorized
from kept.ids import new_id
from kept.services.accounts.secrets import Passwords, hash_secret, new_secret
from kept.services.accounts.tokens import authenticate_token
from kept.services.requests.limits import RateLimits
from kept.storage import users
from kept.storage.database.engine import Connection, Database

# Several people may share an address.
NAMES_PER_ADDRESS: Final = 3
SLOW_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Credentials:
    name: str
    password: str
    user_agent: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    user: User
    session: Session
    secret: str
    device_mark: str
    """The mark by which the next sign-in from this device is recognised."""


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    name: str
    address: str
    device_mark: str | None = None


@dataclass(frozen=True, slots=True)
class PasswordChange:
    current: str
    new: str
    revoke_tokens: bool = False


async def authenticate(
    database: Database, *, token: str | None, session: str | None, session_valid_for: timedelta, now: datetime
) -> Viewer | None:
    """Turn a credential into the viewer behind it. A bearer token is preferred to a cookie."""
    if token is not None:
        return await authenticate_token(database, token, now=now)
    if session is not None:
        return await _authenticate_session(database, session, session_valid_for, now)
    return None


async def _authenticate_session(database: Database, secret: str, valid_for: timedelta, now: datetime) -> Viewer | None:
    session = await database.read(users.find_session, hash_secret(secret), now)
    if session is None:
        return None
    if is_due_for_touch(session.last_seen_at, now):
        await database.write(users.touch_session, session.credential_id, now, now + valid_for)
    return session.viewer


async def sign_in(
    database: Database, passwords: Passwords, given: Credentials, *, valid_for: timedelta, now: datetime
) -> SignedIn:
    """Trade a name and a password for a session.

    An unknown name and a wrong password get the same answer, after the same work.
    """
    user, password_hash = await database.read(_find_account, given.name) or (None, None)
    if not await passwords.verify(password_hash, given.password) or user is None or password_hash is None:
        raise Unauthorized("Wrong username or password.")
    session = Session(new_id(), given.user_agent[:300], now, now, now + valid_for)
    secret = new_secret()
    await database.write(_start_session, user.id, session, hash_secret(secret))
    return SignedIn(user, session, secret, make_device_mark(new_secret(), password_hash))


def _find_account(tx: Connection, name: str) -> tuple[User, str] | None:
    try:
        parsed = parse_user_name(name)
    except InvalidRequest:
        return None
    return users.find_password_hash(tx, parsed)


def _start_session(tx: Connection, user_id: UUID, session: Session, token_hash: str) -> None:
    users.delete_expired_sessions(tx, session.created_at)
    users.insert_session(tx, user_id, session, token_hash)


def end_session(tx: Connection, viewer: Viewer, session_id: UUID) -> None:
    """End one of a user's own web sessions."""
    if not users.delete_session(tx, viewer.user_id, session_id):
        raise NotFound


def list_sessions(tx: Connection, viewer: Viewer, *, now: datetime) -> list[Session]:
    return users.list_sessions(tx, viewer.user_id, now)


async def limit_sign_in(database: Database, limits: RateLimits, attempt: SignInAttempt) -> None:
    """Slow down whoever guesses passwords, without locking anybody out.

    A name has a limit for each client address, and an address one for all names. Attempts at one name from many
    addresses are not refused, only answered later: otherwise a stranger could keep somebody from signing in. A device
    on which the person has signed in before has a limit of its own, which no stranger uses up.

    Raises RateLimited, or returns after a while.
    """
    name = _fold(attempt.name)
    device_id = await database.read(_find_device_id, name, attempt.device_mark)
    if device_id is not None:
        await limits.require("login", "device", device_id)
        return
    await limits.require("login", "address", attempt.address, factor=NAMES_PER_ADDRESS)
    await limits.require("login", "pair", name or "", attempt.address)
    if name and not await limits.admits("login", "name", name):
        await asyncio.sleep(SLOW_SECONDS)


def _fold(name: str) -> str | None:
    """Return the name as accounts are looked up, whatever its spelling; None if it can be no name."""
    try:
        return parse_user_name(name)
    except InvalidRequest:
        return None


def _find_device_id(tx: Connection, name: str | None, mark: str | None) -> str | None:
    found = users.find_password_hash(tx, name) if name and mark else None
    return find_device_id(mark, found[1]) if found and mark else None


async def change_password(database: Database, passwords: Passwords, viewer: Viewer, change: PasswordChange) -> None:
    """Change one's own password; whoever else was signed in with the old one is signed out, and tokens end if wished.

    The session that asks for it stays signed in.
    """
    parsed = parse_password(change.new)
    password = await database.read(users.find_password_hash, viewer.user.name)
    if password is None or not await passwords.verify(password[1], change.current):
        raise Forbidden("The current password is wrong.")
    password_hash = await passwords.hash(parsed)
    await database.write(_store_own_password, viewer, password_hash, revoke_tokens=change.revoke_tokens)


def _store_own_password(tx: Connection, viewer: Viewer, password_hash: str, *, revoke_tokens: bool) -> None:
    users.update_password_hash(tx, viewer.user_id, password_hash)
    users.delete_other_sessions(tx, viewer.user_id, keep=viewer.session_id)
    if revoke_tokens:
        users.delete_tokens_of(tx, viewer.user_id)


async def reset_password(
    database: Database, passwords: Passwords, user_id: UUID, password: str, *, revoke_tokens: bool = False
) -> int:
    """Set a new password for somebody, as whoever runs the server; ends all their sessions, and their tokens if wished.

    Return how many tokens were revoked.
    """
    password_hash = await passwords.hash(parse_password(password))
    return await database.write(_store_password, user_id, password_hash, revoke_tokens=revoke_tokens)


def _store_password(tx: Connection, user_id: UUID, password_hash: str, *, revoke_tokens: bool) -> int:
    users.update_password_hash(tx, user_id, password_hash)
    users.delete_sessions_of(tx, user_id)
    return users.delete_tokens_of(tx, user_id) if revoke_tokens else 0


def revoke_secret(tx: Connection, viewer: Viewer, secret: str) -> None:
    """Revoke the token with this secret, if it is one of the viewer's own."""
    users.delete_token_by_hash(tx, hash_secret(secret), viewer.user_id)
