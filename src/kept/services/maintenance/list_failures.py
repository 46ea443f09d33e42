"""Pages the viewer may see that failed for one reason and can be tried again."""

from kept.domain.account import Viewer
from kept.storage import overview
from kept.storage.database.engine import Connection
from kept.storage.overview import Failure


def list_failures(tx: Connection, viewer: Viewer, code: str | None, *, limit: int) -> list[Failure]:
    return overview.list_failures(tx, viewer.user_id, code, limit=limit)
