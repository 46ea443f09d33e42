"""Turn a credential into the viewer behind it."""

from datetime import datetime, timedelta
from typing import Final

from kept.domain.account import Viewer
from kept.services.accounts.secrets import TOKEN_PREFIX, hash_secret
from kept.storage import users
from kept.storage.database.engine import Database

# "Last used" to the minute is enough for people, and spares a write for every request.
TOUCH_EVERY: Final = timedelta(minutes=1)


async def authenticate(
    database: Database, *, token: str | None, session: str | None, session_valid_for: timedelta, now: datetime
) -> Viewer | None:
    """A bearer token wins over a cookie: who sends one means it."""
    if token is not None:
        return await authenticate_token(database, token, now)
    if session is not None:
        return await authenticate_session(database, session, session_valid_for, now)
    return None


async def authenticate_token(database: Database, token: str, now: datetime) -> Viewer | None:
    if not token.startswith(TOKEN_PREFIX):
        return None
    async with database.read() as tx:
        found = await users.find_token(tx, hash_secret(token))
    if found is None:
        return None
    if is_stale(found, now):
        async with database.write() as tx:
            await users.touch_token(tx, found.credential_id, now)
    return found.viewer


async def authenticate_session(database: Database, secret: str, valid_for: timedelta, now: datetime) -> Viewer | None:
    async with database.read() as tx:
        found = await users.find_session(tx, hash_secret(secret), now)
    if found is None:
        return None
    if is_stale(found, now):
        async with database.write() as tx:
            await users.touch_session(tx, found.credential_id, now, now + valid_for)
    return found.viewer


def is_stale(found: users.Authenticated, now: datetime) -> bool:
    return found.last_seen_at is None or now - found.last_seen_at >= TOUCH_EVERY
