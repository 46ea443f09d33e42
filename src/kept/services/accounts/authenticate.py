"""Turn a credential into the viewer behind it."""

from datetime import datetime, timedelta

from kept.domain.account import TOKEN_PREFIX, Viewer, is_due_for_touch
from kept.services.accounts.hash_secret import hash_secret
from kept.storage import users
from kept.storage.database.engine import Database


async def authenticate(
    database: Database, *, token: str | None, session: str | None, session_valid_for: timedelta, now: datetime
) -> Viewer | None:
    """A bearer token wins over a cookie: who sends one means it."""
    if token is not None:
        return await _authenticate_token(database, token, now)
    if session is not None:
        return await _authenticate_session(database, session, session_valid_for, now)
    return None


async def _authenticate_token(database: Database, token: str, now: datetime) -> Viewer | None:
    if not token.startswith(TOKEN_PREFIX):
        return None
    found = await database.read(users.find_token, hash_secret(token))
    if found is None:
        return None
    if is_due_for_touch(found.last_seen_at, now):
        await database.write(users.touch_token, found.credential_id, now)
    return found.viewer


async def _authenticate_session(database: Database, secret: str, valid_for: timedelta, now: datetime) -> Viewer | None:
    found = await database.read(users.find_session, hash_secret(secret), now)
    if found is None:
        return None
    if is_due_for_touch(found.last_seen_at, now):
        await database.write(users.touch_session, found.credential_id, now, now + valid_for)
    return found.viewer
