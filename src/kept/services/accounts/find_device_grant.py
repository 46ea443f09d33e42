"""Find what a device asks for, by the code that a person typed in."""

from datetime import datetime

from kept.domain.oauth import Grant, GrantState, parse_user_code
from kept.storage import oauth
from kept.storage.database.engine import Database


async def find_device_grant(database: Database, user_code: str, *, now: datetime) -> Grant | None:
    """None for a code that was never given out, is too old, or was used."""
    code = parse_user_code(user_code)
    grant = await database.read(oauth.find_grant_by_user_code, code) if code else None
    return grant if grant and grant.state is GrantState.PENDING and grant.expires_at > now else None
