"""Trade a name and a password for a session."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from kept.domain.account import User, parse_user_name
from kept.domain.errors import InvalidRequest, Unauthorized
from kept.ids import new_id
from kept.services.accounts.passwords import Passwords
from kept.services.accounts.secrets import hash_secret, new_secret
from kept.storage import users
from kept.storage.database.engine import Database


@dataclass(frozen=True, slots=True)
class SignedIn:
    user: User
    session: users.Session
    secret: str


async def sign_in(
    database: Database,
    passwords: Passwords,
    *,
    name: str,
    password: str,
    user_agent: str,
    valid_for: timedelta,
    now: datetime,
) -> SignedIn:
    """The same answer, after the same work, for an unknown name and a wrong password."""
    found = await find_account(database, name)
    user, password_hash = found or (None, None)
    if not await passwords.verify(password_hash, password) or user is None:
        raise Unauthorized("The name or the password is wrong.")
    session = users.Session(new_id(), user_agent[:300], now, now, now + valid_for)
    secret = new_secret()
    async with database.write() as tx:
        await users.delete_expired_sessions(tx, now)
        await users.insert_session(tx, user.id, session, hash_secret(secret))
    return SignedIn(user, session, secret)


async def find_account(database: Database, name: str) -> tuple[User, str] | None:
    try:
        parsed = parse_user_name(name)
    except InvalidRequest:
        return None
    async with database.read() as tx:
        return await users.find_password_hash(tx, parsed)
