"""Whatever a file holds: rows in are imported, already there and rejected together, and the check said so before."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.importing import ImportState
from kept.services.importing.running import write_outcomes
from kept.storage import tables
from kept.storage.database.engine import Database
from support.builders.importing import ImportingOwner, make_importing_owner
from support.fixtures.databases import copy_sqlite

ADDRESSES = st.one_of(
    st.sampled_from(
        ["https://a.example/", "HTTPS://A.example", "a.example/#x", "https://b.example/1", "ftp://c.example/"]
    ),
    st.integers(0, 30).map(lambda number: f"https://c.example/{number}"),
    st.sampled_from(["", " ", "javascript:void(0)", "http://", "https://u:p@d.example/", "not an address", "\x00"]),
    st.text(max_size=30),
)
ROWS = st.lists(st.tuples(st.text(max_size=20), ADDRESSES, st.text(max_size=12), st.text(max_size=20)), max_size=60)


def as_csv(rows: list[tuple[str, str, str, str]]) -> bytes:
    cells = [("title", "url", "time_added", "tags"), *rows]
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) + ',"unread"' for row in cells]
    lines[0] = "title,url,time_added,tags,status"
    return "\n".join(lines).encode("utf-8", "replace")


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=ROWS, second=ROWS)
async def test_counts_add_up_and_are_what_the_check_said(
    sqlite_template: Path, first: list[tuple[str, str, str, str]], second: list[tuple[str, str, str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        url = copy_sqlite(sqlite_template, Path(name))
        database = Database(Settings(database_url=url).sqlalchemy_url)
        try:
            owner = make_importing_owner(database, Path(name))
            for rows in (first, second):
                await import_and_compare(owner, as_csv(rows))
        finally:
            await database.close()


async def import_and_compare(owner: ImportingOwner, data: bytes) -> None:
    before = owner.count(tables.items)
    progress = await owner.run(data)
    if progress.found.state is ImportState.FAILED:  # no row at all
        assert progress.counts.total == 0
        return
    report, counts = progress.found.report, progress.counts
    assert report is not None
    assert counts.total == progress.found.rows_total == report["rows"]
    assert (counts.imported, counts.already_there, counts.rejected) == (
        report["imported"],
        report["already_there"],
        report["rejected"],
    )
    assert owner.count(tables.items) == before + counts.imported
    lines = [line async for line in write_outcomes(owner.database, progress.found.id)]
    assert len(lines) == counts.total + 1
    assert await owner.advance(progress.found.id)
    assert progress.found.updated_at <= utc_now()
