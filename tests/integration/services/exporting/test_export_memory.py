"""An export of a large library needs no more memory than one of a small library."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import insert

from kept.config import Settings
from kept.content.article.canonical import CANONICAL_VERSION
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.ids import new_id, new_media_id
from kept.storage import tables
from kept.storage.database.engine import Database
from support.builders.rows import AT, insert_user
from support.fixtures.transactions import writing
from support.servers.commands import KEPT

AT_ONCE = 5000
ARTICLE = "<p>{number} " + "Words of an article, as many as it takes. " * 100 + "</p>"
# Prints the most memory the command had, in KiB, when it is done.
MEASURED = f"""
import os, resource, subprocess, sys
status = subprocess.run([{str(KEPT)!r}, *sys.argv[1:]], stderr=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if status == 0 else -1)
"""


async def fill(home: Path, number: int) -> None:
    database = Database(Settings(data_dir=home).sqlalchemy_url)
    with writing(database) as tx:
        _, library_id = insert_user(tx)
    for start in range(0, number, AT_ONCE):
        ids = [(new_media_id(), each) for each in range(start, min(start + AT_ONCE, number))]
        with writing(database) as tx:
            tx.execute(insert(tables.media), [media_row(media_id, each) for media_id, each in ids])
            tx.execute(insert(tables.fragments), [fragment_row(media_id, each) for media_id, each in ids])
            tx.execute(insert(tables.items), [item_row(library_id, media_id, each) for media_id, each in ids])
    await database.close()


def media_row(media_id: object, number: int) -> dict[str, object]:
    row = dict.fromkeys(column.name for column in tables.media.columns if column.nullable)
    return row | {
        "id": media_id,
        "kind": "web_article",
        "source_url": f"https://example.org/{number}",
        "title": f"The article of number {number}",
        "excerpt": "What it is about, in a line or two. " * 4,
        "metadata": {},
        "enrichment_status": EnrichmentStatus.SUCCEEDED,
        "processing_status": ProcessingStatus.READY_FOR_READING,
        "processing_attempts": 1,
        "version": 1,
        "created_at": AT,
        "updated_at": AT,
    }


def fragment_row(media_id: object, number: int) -> dict[str, object]:
    html = ARTICLE.format(number=number)
    made = {"id": new_media_id(), "media_id": media_id, "ordinal": 0, "html_sanitized": html, "canonical_text": html}
    return made | {"canonical_version": CANONICAL_VERSION, "created_at": AT}


def item_row(library_id: object, media_id: object, number: int) -> dict[str, object]:
    url = f"https://example.org/{number}"
    return {
        "id": new_id(),
        "library_id": library_id,
        "media_id": media_id,
        "url": url,
        "created_at": AT,
        "updated_at": AT,
    }


def measure_export(home: Path, to: str, target: Path) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KEPT_")}
    command = [sys.executable, "-c", MEASURED, "export", "--format", to, "-o", str(target)]
    measured = subprocess.run(
        command, env=environment | {"KEPT_DATA_DIR": str(home)}, capture_output=True, text=True, check=True
    )
    return int(measured.stdout)


@pytest.mark.long
async def test_a_hundred_thousand_items_need_no_more_memory_than_a_thousand(
    tmp_path: Path, sqlite_template: Path
) -> None:
    sizes = {}
    for number in (1_000, int(os.environ.get("KEPT_TEST_EXPORT_ITEMS", "100000"))):
        home = tmp_path / str(number)
        home.mkdir()
        (home / "kept.db").write_bytes(sqlite_template.read_bytes())
        await fill(home, number)
        for to in ("json", "epub", "folder", "csv", "html"):
            target = tmp_path / f"{to}.zip"
            sizes[to, number] = measure_export(home, to, target)
            assert sizes[to, number] > 0
            if to in {"json", "epub", "folder"}:
                assert len(zipfile.ZipFile(target).namelist()) >= number
            print(to, number, f"{sizes[to, number] / 1024:.0f} MiB", f"{target.stat().st_size / 1e6:.0f} MB")
        small, large = 1_000, number
    # SQLite's own cache and Python's arenas fill up to a point; a library held in memory would add 800 MB
    assert all(sizes[to, large] - sizes[to, small] < 60 * 1024 for to in ("json", "epub", "folder", "csv", "html"))
