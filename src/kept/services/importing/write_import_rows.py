"""Write some rows of an import, with what they come to, in one short transaction."""

from collections.abc import Sequence
from datetime import datetime

from kept.content.import_formats.prepare_rows import PreparedLink, PreparedRow
from kept.domain.importing import Import
from kept.services.saving.batches import look_up_batch, plan_import_batch, write_import_batch
from kept.storage import imports
from kept.storage.database.engine import Connection


def write_import_rows(tx: Connection, owner: Import, rows: Sequence[PreparedRow], now: datetime) -> None:
    batch = look_up_batch(tx, owner, [row for row in rows if isinstance(row, PreparedLink)], now)
    outcomes = plan_import_batch(batch, rows)
    write_import_batch(tx, batch)
    imports.insert_rows(tx, owner.id, outcomes)
