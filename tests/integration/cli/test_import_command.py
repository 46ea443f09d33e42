"""`kept import` as people's scripts see it."""

import csv
import json
from pathlib import Path

import pytest

from kept.storage.database.driver import sqlite
from support.builders import uploaded_files as files
from support.servers.commands import kept

NO_IMPORT = "0198c0de-0000-7000-8000-000000000000"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    assert kept("user", "add", "ann", "--password-stdin", folder=tmp_path, stdin="long enough\n").returncode == 0
    (tmp_path / "reader.csv").write_text(files.READWISE_CSV)
    return tmp_path


def count(folder: Path, table: str) -> int:
    connection = sqlite.connect(folder / "kept.db")
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        connection.close()


def test_a_dry_run_says_what_would_happen_and_writes_nothing(home: Path) -> None:
    outcome = kept("import", str(home / "reader.csv"), "--dry-run", "--json", folder=home)
    assert outcome.returncode == 0, outcome.stderr
    report = json.loads(outcome.stdout)
    assert (report["format"], report["rows"], report["imported"], report["rejected"]) == ("readwise", 3, 2, 1)
    assert [count(home, table) for table in ("imports", "items", "media")] == [0, 0, 0]
    assert not (home / "blobs" / "imports").exists()


def test_one_row_is_not_several(home: Path) -> None:
    (home / "one.txt").write_text("http://127.0.0.1/one\n")
    outcome = kept("import", str(home / "one.txt"), folder=home)
    assert outcome.stdout.splitlines()[-1] == "1 row: imported 1, already saved 0, rejected 0"


def test_an_import_tells_its_counts_and_writes_the_outcome_file(home: Path) -> None:
    outcome = kept("import", str(home / "reader.csv"), "--outcome", str(home / "rows.csv"), folder=home)
    assert outcome.returncode == 0, outcome.stderr
    assert "3 rows: imported 2, already saved 0, rejected 1" in outcome.stdout
    assert "never saved" in outcome.stderr
    with (home / "rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["outcome"] for row in rows] == ["imported", "rejected", "imported"]
    assert count(home, "items") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["import"], "name a file"), (["import", "--dry-run", "--resume", NO_IMPORT], "a dry run needs a file")],
)
def test_a_wrong_command_is_told_with_its_usage(home: Path, arguments: list[str], message: str) -> None:
    outcome = kept(*arguments, folder=home)
    assert outcome.returncode == 2
    assert message in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import", "missing.csv"], "cannot read missing.csv"),
        (["import", "reader.csv", "--format", "delicious"], "There is no such format"),
        (["import", "--resume", NO_IMPORT], "doesn't exist"),
        (["import", "reader.csv", "--format", "wallabag"], "does not look like one of wallabag"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(home: Path, arguments: list[str], message: str) -> None:
    paths = [str(home / part) if part == "reader.csv" else part for part in arguments]
    outcome = kept(*paths, folder=home)
    assert outcome.returncode == 1
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr
