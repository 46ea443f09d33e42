"""The unit of work that inserts an account and its personal library: both, or neither."""

from datetime import datetime

from kept.domain.account import User
from kept.domain.library import Library, Role
from kept.ids import new_id
from kept.storage import libraries, users
from kept.storage.database.engine import Connection


def insert_user_with_library(tx: Connection, *, name: str, password_hash: str, is_admin: bool, now: datetime) -> User:
    """The caller parses the name and hashes the password: hashing in a transaction would hold up all writers."""
    user = User(new_id(), name, is_admin, now)
    users.insert_user(tx, user, password_hash)
    library = Library(new_id(), "My library", user.id, is_default=True, created_at=now, updated_at=now)
    libraries.insert_library(tx, library)
    libraries.insert_member(tx, library.id, user.id, Role.ADMIN, now)
    return user
