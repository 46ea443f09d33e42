"""How many bytes of whole pages a user keeps."""

from dataclasses import dataclass

from kept.config import Settings
from kept.domain.account import Viewer
from kept.storage import captures
from kept.storage.database.engine import Database


@dataclass(frozen=True, slots=True)
class CaptureUse:
    bytes: int
    quota_bytes: int | None
    """None where there is no limit."""


async def measure_captures(database: Database, viewer: Viewer, settings: Settings) -> CaptureUse:
    used = await database.read(captures.count_bytes, viewer.user_id)
    return CaptureUse(used, settings.whole_page_quota_bytes or None)
