"""First run: use the one-time link that `offer_set_up` made to create the first administrator."""

from datetime import datetime

from kept.domain.account import User, parse_password, parse_user_name
from kept.domain.errors import Conflict, Forbidden
from kept.services.accounts.hash_secret import hash_secret
from kept.services.accounts.insert_user_with_library import insert_user_with_library
from kept.services.accounts.passwords import Passwords
from kept.storage import users
from kept.storage.database.engine import Connection, Database


async def set_up(
    database: Database, passwords: Passwords, *, secret: str, name: str, password: str, now: datetime
) -> User:
    """Link, account and library change together or not at all."""
    name, password_hash = parse_user_name(name), await passwords.hash(parse_password(password))
    return await database.write(_create_first_administrator, hash_secret(secret), name, password_hash, now)


def _create_first_administrator(tx: Connection, token_hash: str, name: str, password_hash: str, now: datetime) -> User:
    if not users.use_setup_link(tx, token_hash, now):
        raise Forbidden("This set-up link is used up or too old. Restart Kept for a new one.")
    if users.any_user_exists(tx):
        raise Conflict("Kept is set up already.")
    return insert_user_with_library(tx, name=name, password_hash=password_hash, is_admin=True, now=now)
