"""Pages the viewer may see that failed for one reason and can be tried again."""

from kept.domain.account import Viewer
from kept.storage import overview
from kept.storage.database.engine import Database
from kept.storage.overview import Failure


async def list_failures(database: Database, viewer: Viewer, code: str | None, *, limit: int) -> list[Failure]:
    return await database.read(overview.list_failures, viewer.user_id, code, limit=limit)
