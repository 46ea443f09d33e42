"""Read how a person likes to read."""

from kept.domain.account import Viewer
from kept.domain.preferences import Preferences, parse_preferences
from kept.storage import preferences
from kept.storage.database.engine import Database


async def read_preferences(database: Database, viewer: Viewer) -> Preferences:
    return parse_preferences(await database.read(preferences.find_preferences, viewer.user_id))
