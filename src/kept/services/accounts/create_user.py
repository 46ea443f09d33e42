"""Create an account with its personal library."""

from datetime import datetime

from kept.domain.account import User, parse_password, parse_user_name
from kept.services.accounts.insert_user_with_library import insert_user_with_library
from kept.services.accounts.passwords import Passwords
from kept.storage.database.engine import Database


async def create_user(
    database: Database, passwords: Passwords, *, name: str, password: str, is_admin: bool, now: datetime
) -> User:
    name, password_hash = parse_user_name(name), await passwords.hash(parse_password(password))
    return await database.write(
        insert_user_with_library, name=name, password_hash=password_hash, is_admin=is_admin, now=now
    )
