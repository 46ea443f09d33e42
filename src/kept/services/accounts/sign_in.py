"""Trade a name and a password for a session."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from kept.domain.account import Session, User, parse_user_name
from kept.domain.errors import InvalidRequest, Unauthorized
from kept.domain.known_device import make_device_mark
from kept.ids import new_id
from kept.services.accounts.hash_secret import hash_secret
from kept.services.accounts.new_secret import new_secret
from kept.services.accounts.passwords import Passwords
from kept.storage import users
from kept.storage.database.engine import Connection, Database


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
    """For the next sign-in from this device."""


async def sign_in(
    database: Database, passwords: Passwords, given: Credentials, *, valid_for: timedelta, now: datetime
) -> SignedIn:
    """The same answer, after the same work, for an unknown name and a wrong password."""
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
