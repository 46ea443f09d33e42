"""The outcome file of an import: a line of CSV for each row. For an import the caller has checked."""

import csv
import io
from collections.abc import AsyncIterator
from uuid import UUID

from kept.content.export_formats.csv_file import neutralise
from kept.domain.importing import ImportedRow
from kept.storage import imports
from kept.storage.database.engine import Database


async def write_outcomes(database: Database, import_id: UUID) -> AsyncIterator[str]:
    yield _csv_line("row", "outcome", "reason", "url", "item_id")
    after = -1
    while rows := await database.read(imports.list_rows, import_id, after=after):
        for row in rows:
            yield _outcome_line(row)
        after = rows[-1].ordinal


def _outcome_line(row: ImportedRow) -> str:
    item_id = str(row.item_id) if row.item_id else ""
    return _csv_line(str(row.ordinal + 1), row.outcome, row.reason or "", row.url or "", item_id)


def _csv_line(*cells: str) -> str:
    target = io.StringIO()
    csv.writer(target).writerow([neutralise(cell) for cell in cells])
    return target.getvalue()
