"""Whether there is an account yet."""

from kept.storage import users
from kept.storage.database.engine import Connection


def is_set_up(tx: Connection) -> bool:
    return users.any_user_exists(tx)
