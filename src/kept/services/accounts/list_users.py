"""Every account, for who looks after the server; the entry point asks for that."""

from kept.domain.account import User
from kept.storage import users
from kept.storage.database.engine import Connection


def list_users(tx: Connection) -> list[User]:
    return users.list_users(tx)
