"""An import and how far it has come."""

from dataclasses import dataclass
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.importing import Counts, Import
from kept.services.importing.get_import import get_import
from kept.storage import imports
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class Progress:
    found: Import
    counts: Counts

    @property
    def share(self) -> float:
        return min(self.counts.total / self.found.rows_total, 1.0) if self.found.rows_total else 0.0


def read_progress(tx: Connection, viewer: Viewer, import_id: UUID) -> Progress:
    found = get_import(tx, viewer, import_id)
    return Progress(found, found.final_counts or imports.count_rows(tx, import_id))
