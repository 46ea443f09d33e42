"""A person's imports, the newest first."""

from kept.domain.account import Viewer
from kept.services.importing.read_progress import Progress
from kept.storage import imports
from kept.storage.database.engine import Connection


def list_imports(tx: Connection, viewer: Viewer) -> list[Progress]:
    found = imports.list_imports(tx, viewer.user_id)
    return [Progress(one, one.final_counts or imports.count_rows(tx, one.id)) for one in found]
