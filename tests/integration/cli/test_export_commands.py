"""`kept export`, `kept backup` and `kept restore` as people's scripts see them."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from support.servers.commands import kept
from support.servers.local_servers import free_port


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    kept("user", "add", "ann", "--password-stdin", folder=folder, stdin="long enough\n")
    kept("add", "javascript:alert(1)", "--tag", "odd", folder=folder)
    return folder


def test_each_format_is_written_to_a_file(home: Path, tmp_path: Path) -> None:
    for to, name in (("json", "a.zip"), ("html", "a.html"), ("csv", "a.csv"), ("epub", "a.epub"), ("folder", "f.zip")):
        outcome = kept("export", "--format", to, "-o", str(tmp_path / name), folder=home)
        assert (outcome.returncode, outcome.stderr) == (0, f"Exported 1 item to {tmp_path / name}.\n")
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert json.loads(zipfile.ZipFile(tmp_path / "a.zip").read("kept.json"))["items"]["count"] == 1
    assert "javascript:alert(1)" in (tmp_path / "a.csv").read_text()
    assert not list(tmp_path.glob(".*"))


def test_a_folder_is_a_folder_and_not_mixed_with_another(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "pages"
    assert kept("export", "--format", "folder", "-o", str(target), folder=home).returncode == 0
    assert [path.name for path in target.iterdir()] == ["index.html"]
    again = kept("export", "--format", "folder", "-o", str(target), folder=home)
    assert (again.returncode, again.stderr) == (
        1,
        f"kept: {target} already exists: choose an empty or a new folder.\n",
    )


def test_highlights_are_written_to_a_file_or_a_folder(home: Path, tmp_path: Path) -> None:
    for to, name in (("markdown", "h.zip"), ("csv", "h.csv"), ("json", "h.json")):
        outcome = kept("export", "--format", f"highlights-{to}", "-o", str(tmp_path / name), folder=home)
        assert (outcome.returncode, outcome.stderr) == (0, f"Exported 0 items to {tmp_path / name}.\n")
    assert json.loads((tmp_path / "h.json").read_text())["first"]["items"] == []
    assert (tmp_path / "h.csv").read_text().startswith('"Highlight","Title"')
    notes = tmp_path / "notes"
    assert kept("export", "--format", "highlights-markdown", "-o", str(notes), folder=home).returncode == 0
    assert notes.is_dir()


def test_what_cannot_be_exported_is_one_clear_line(home: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "no" / "such" / "a.zip"
    assert kept("export", "-o", str(nowhere), folder=home).stderr == (
        f"kept: cannot write {nowhere}: No such file or directory\n"
    )
    unknown = kept("export", "--library", "Nowhere", "-o", str(tmp_path / "a.zip"), folder=home)
    assert unknown.stderr == "kept: There is no library named Nowhere.\n"
    assert kept("export", "--format", "exe", "-o", "x", folder=home).returncode == 2


@pytest.mark.parametrize("command", [("export", "-o"), ("backup", "--force")], ids=lambda command: command[0])
def test_what_is_no_file_is_not_replaced_and_a_link_leads_to_what_is(
    home: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "target"
    os.mkfifo(pipe)
    outcome = kept(*command, str(pipe), folder=home)
    assert (outcome.returncode, outcome.stderr) == (1, f"kept: {pipe} is not a file; - writes to standard output.\n")
    assert pipe.is_fifo()
    link.symlink_to(target)
    assert kept(*command, str(link), folder=home).returncode == 0
    assert link.is_symlink()
    assert target.stat().st_size > 0


def test_an_export_goes_to_standard_output(home: Path) -> None:
    outcome = kept("export", "-o", "-", "--format", "csv", folder=home)
    assert "javascript:alert(1)" in outcome.stdout
    assert outcome.stderr == "Exported 1 item to standard output.\n"
    assert kept("export", "-o", "-", "--json", folder=home).returncode == 2


def test_a_backup_moves_to_another_machine(home: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "kept.tar.gz", tmp_path / "other"
    made = kept("backup", str(file), folder=home)
    assert made.returncode == 0, made.stderr
    assert made.stderr.startswith("Backed up the database and 0 files to ")
    assert kept("backup", str(file), folder=home).stderr == f"kept: {file} already exists; --force replaces it.\n"
    assert kept("restore", str(file), folder=other).returncode == 0
    listed = kept("list", "--json", folder=other)
    assert [item["tags"] for item in json.loads(listed.stdout)] == [["odd"]]
    refused = kept("restore", str(file), folder=other)
    assert (refused.returncode, refused.stderr) == (
        1,
        f"kept: {other / 'kept.db'} is there already; --force puts it aside and restores.\n",
    )
    forced = kept("restore", str(file), "--force", folder=other)
    assert "The previous data is in " in forced.stderr


def test_a_backup_goes_out_of_a_container_and_back_by_standard_streams(home: Path, tmp_path: Path) -> None:
    made = kept("backup", "-", folder=home)
    assert " to standard output, " in made.stderr
    other = tmp_path / "other"
    assert kept("restore", "-", folder=other, stdin=made.output).returncode == 0

    assert [item["tags"] for item in json.loads(kept("list", "--json", folder=other).stdout)] == [["odd"]]
    assert not list(home.glob(".kept-*"))
    assert not list(other.glob(".kept-*"))


def test_other_databases_and_stores_have_their_own_tools(tmp_path: Path) -> None:
    grown = {"KEPT_DATABASE_URL": f"postgresql://kept@127.0.0.1:{free_port()}/kept", "KEPT_BLOB_URL": "s3://bucket"}
    for command in ("backup", "restore"):
        outcome = kept(command, str(tmp_path / "b.tar"), folder=tmp_path, **grown)
        assert outcome.returncode == 1
        assert "pg_dump" in outcome.stderr
        assert "versioning" in outcome.stderr


def test_a_folder_is_no_backup_and_a_missing_file_does_not_exist(tmp_path: Path) -> None:
    for path, fault in ((tmp_path, "is not a file; - reads standard input."), (tmp_path / "gone", "does not exist.")):
        assert kept("restore", str(path), folder=tmp_path / "home").stderr == f"kept: {path} {fault}\n"


@pytest.mark.parametrize("command", ["export", "backup", "restore"])
def test_every_command_of_these_has_help(tmp_path: Path, command: str) -> None:
    outcome = kept(command, "--help", folder=tmp_path)
    assert (outcome.returncode, "Usage" in outcome.stdout) == (0, True)
