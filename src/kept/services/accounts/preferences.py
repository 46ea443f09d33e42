"""A person's preferences: how they like to read."""

from collections.abc import Mapping
from datetime import datetime

from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest
from kept.domain.preferences import KNOWN, Preferences, parse_preferences
from kept.storage import users
from kept.storage.database.engine import Connection


def read_preferences(tx: Connection, viewer: Viewer) -> Preferences:
    """Read how a person likes to read."""
    return parse_preferences(users.find_preferences(tx, viewer.user_id))


def change_preferences(tx: Connection, viewer: Viewer, changes: Mapping[str, str], *, now: datetime) -> Preferences:
    """Change those preferences of a person that are in `changes`."""
    for name, value in changes.items():
        if name not in KNOWN or value not in list(KNOWN[name]):
            raise InvalidRequest("There is no %(name)s of that kind.", name=name)
    return _change_preferences(tx, viewer, changes, now)


def _change_preferences(tx: Connection, viewer: Viewer, changes: Mapping[str, str], now: datetime) -> Preferences:
    values = {**users.find_preferences(tx, viewer.user_id), **changes}
    users.put_preferences(tx, viewer.user_id, values, now)
    return parse_preferences(values)
