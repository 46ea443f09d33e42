"""Turn what an app sends with each request into the viewer behind it: an API token, or one made from it."""

from datetime import datetime

from kept.domain.account import TOKEN_PREFIX, Viewer, is_due_for_touch
from kept.domain.app_token import AppTokenKind
from kept.services.accounts.hash_secret import hash_secret
from kept.storage import app_tokens, users
from kept.storage.database.engine import Database


async def authenticate_app(database: Database, secret: str, *, now: datetime) -> Viewer | None:
    if secret.startswith(TOKEN_PREFIX):
        found = await database.read(users.find_token, hash_secret(secret))
    else:
        found = await database.read(app_tokens.find_app_token, hash_secret(secret), AppTokenKind.ACCESS, now)
    if found is None:
        return None
    if is_due_for_touch(found.last_seen_at, now):
        await database.write(users.touch_token, found.credential_id, now)
    return found.viewer
