import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kept.fetch.browser import folders
from kept.fetch.browser.folders import OWNER_FILE, clear_orphans, make_folder


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process with nothing to do, to be told apart by its arguments."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def sign(folder: Path, **owner: object) -> None:
    (folder / OWNER_FILE).write_text(json.dumps(owner))


def test_a_living_workers_folder_is_left_alone(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)

    assert clear_orphans(tmp_path) == 0
    assert folder.is_dir()


def test_a_folder_is_nobody_elses_business(tmp_path: Path) -> None:
    assert make_folder(tmp_path).stat().st_mode & 0o077 == 0


def test_a_dead_workers_folder_is_removed(tmp_path: Path, stranger: subprocess.Popen[bytes]) -> None:
    folder = make_folder(tmp_path)
    sign(folder, pid=stranger.pid, started_ticks=1, world=folders.read_world())

    assert clear_orphans(tmp_path) == 1
    assert not folder.exists()


def test_a_folder_from_another_container_or_boot_is_removed_only_once_it_is_old(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    sign(folder, pid=1, started_ticks=-1, world="another")
    assert clear_orphans(tmp_path) == 0

    os.utime(folder, (0, 0))

    assert clear_orphans(tmp_path) == 1


def test_a_browser_of_a_dead_worker_is_ended(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    sign(folder, pid=1, started_ticks=-1, world=folders.read_world())
    orphan = subprocess.Popen(
        [sys.executable, "-c", "input()", f"--user-data-dir={folder}/profile"], stdin=subprocess.PIPE
    )

    clear_orphans(tmp_path)

    assert orphan.wait(timeout=10) < 0
    orphan.communicate()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}'])
def test_a_folder_whose_owner_cannot_be_read_is_removed_once_it_is_old(tmp_path: Path, text: str) -> None:
    folder = make_folder(tmp_path)
    (folder / OWNER_FILE).write_text(text)
    assert clear_orphans(tmp_path) == 0

    os.utime(folder, (0, 0))

    assert clear_orphans(tmp_path) == 1


def test_other_peoples_folders_and_links_are_not_ours_whatever_their_name(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / f"{folders.PREFIX}link").symlink_to(precious)
    (tmp_path / f"{folders.PREFIX}file").write_text("")

    assert clear_orphans(tmp_path) == 0
    assert precious.is_dir()
