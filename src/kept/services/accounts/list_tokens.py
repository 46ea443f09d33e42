"""A user's own API tokens."""

from kept.domain.account import ApiToken, Viewer
from kept.storage import users
from kept.storage.database.engine import Connection


def list_tokens(tx: Connection, viewer: Viewer) -> list[ApiToken]:
    return users.list_tokens(tx, viewer.user_id)
