"""First run: make the one-time link with which the first administrator is created."""

from datetime import datetime, timedelta

from kept.services.accounts.hash_secret import hash_secret
from kept.services.accounts.new_secret import new_secret
from kept.storage import users
from kept.storage.database.engine import Connection, Database


async def offer_set_up(database: Database, *, valid_for: timedelta, now: datetime) -> str | None:
    """A fresh secret for the set-up link, or None once there is a user. An older link stops working."""
    secret = new_secret()
    is_offered = await database.write(_replace_link, hash_secret(secret), now, now + valid_for)
    return secret if is_offered else None


def _replace_link(tx: Connection, token_hash: str, now: datetime, expires_at: datetime) -> bool:
    if users.any_user_exists(tx):
        return False
    users.replace_setup_link(tx, token_hash, now, expires_at)
    return True
