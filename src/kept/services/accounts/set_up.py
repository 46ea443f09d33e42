"""First run: a one-time link makes the first admin. `offer_set_up` makes the link, `set_up` uses it."""

from datetime import datetime, timedelta

from kept.domain.account import User, parse_password, parse_user_name
from kept.domain.errors import Conflict, Forbidden
from kept.services.accounts.create_user import create_user
from kept.services.accounts.passwords import Passwords
from kept.services.accounts.secrets import hash_secret, new_secret
from kept.storage import users
from kept.storage.database.engine import Database


async def offer_set_up(database: Database, *, valid_for: timedelta, now: datetime) -> str | None:
    """A fresh secret for the set-up link, or None once there is a user. An older link stops working."""
    async with database.write() as tx:
        if await users.any_user_exists(tx):
            return None
        secret = new_secret()
        await users.replace_setup_link(tx, hash_secret(secret), now, now + valid_for)
        return secret


async def set_up(
    database: Database, passwords: Passwords, *, secret: str, name: str, password: str, now: datetime
) -> User:
    """Make the first admin. Link, account and library change together or not at all."""
    name, password_hash = parse_user_name(name), await passwords.hash(parse_password(password))
    async with database.write() as tx:
        if not await users.use_setup_link(tx, hash_secret(secret), now):
            raise Forbidden("This set-up link is used up or too old. Restart Kept for a new one.")
        if await users.any_user_exists(tx):
            raise Conflict("Kept is set up already.")
        return await create_user(tx, name=name, password_hash=password_hash, is_admin=True, now=now)
