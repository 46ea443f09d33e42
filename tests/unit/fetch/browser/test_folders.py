import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kept.fetch.browser import folders
from kept.fetch.browser.folders import LOCK_FILE, BrowserFolder, clear_orphans
from support.servers.local_servers import wait_until

OWNER = """
import pathlib, sys
from kept.fetch.browser.folders import BrowserFolder
folder = BrowserFolder(pathlib.Path(sys.argv[1]))
print(folder.path, flush=True)
input()
"""


class Owner:
    """Another worker, perhaps in another container: nothing is known of it but its folder."""

    def __init__(self, parent: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWNER, str(parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.folder = Path(self.process.stdout.readline().strip())

    def die(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    owner = Owner(tmp_path)
    yield owner
    owner.die()


def test_a_living_workers_folder_is_left_alone(tmp_path: Path) -> None:
    folder = BrowserFolder(tmp_path)

    assert clear_orphans(tmp_path) == 0
    assert folder.path.is_dir()
    folder.remove()


def test_a_folder_is_nobody_elses_business(tmp_path: Path) -> None:
    folder = BrowserFolder(tmp_path)

    assert folder.path.stat().st_mode & 0o077 == 0
    folder.remove()


def test_a_removed_folder_is_gone_and_may_be_removed_again(tmp_path: Path) -> None:
    folder = BrowserFolder(tmp_path)

    folder.remove()
    folder.remove()

    assert os.listdir(tmp_path) == []


def test_a_dead_workers_folder_is_removed(tmp_path: Path, owner: Owner) -> None:
    owner.die()

    assert clear_orphans(tmp_path) == 1
    assert not owner.folder.exists()


def test_another_workers_folder_is_removed_only_once_that_one_is_dead(tmp_path: Path, owner: Owner) -> None:
    os.utime(owner.folder, (0, 0))
    assert clear_orphans(tmp_path) == 0

    owner.die()

    assert clear_orphans(tmp_path) == 1


def test_a_process_that_a_worker_started_does_not_keep_its_folder_alive(tmp_path: Path) -> None:
    folder = BrowserFolder(tmp_path)
    command = [sys.executable, "-c", "print(flush=True); input()"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
    assert child.stdout is not None
    child.stdout.readline()

    folder.lock.close()  # as the kernel does when the worker dies

    assert clear_orphans(tmp_path) == 1
    child.communicate(b"\n")


def test_a_browser_of_a_dead_worker_is_ended(tmp_path: Path, owner: Owner) -> None:
    owner.die()
    orphan = subprocess.Popen(
        [sys.executable, "-c", "input()", f"--user-data-dir={owner.folder}/profile"], stdin=subprocess.PIPE
    )
    shown = Path(f"/proc/{orphan.pid}/cmdline")  # the kernel shows it a moment after it has begun the program
    wait_until(lambda: b"--user-data-dir" in shown.read_bytes(), seconds=30, what="the orphan's command line")

    clear_orphans(tmp_path)

    assert orphan.wait(timeout=10) < 0
    orphan.communicate()


def test_a_folder_without_a_lock_is_removed_once_it_is_old(tmp_path: Path, owner: Owner) -> None:
    (owner.folder / LOCK_FILE).unlink()
    assert clear_orphans(tmp_path) == 0

    os.utime(owner.folder, (0, 0))

    assert clear_orphans(tmp_path) == 1


def test_other_peoples_folders_and_links_are_not_ours_whatever_their_name(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / f"{folders.PREFIX}link").symlink_to(precious)
    (tmp_path / f"{folders.PREFIX}file").write_text("")

    assert clear_orphans(tmp_path) == 0
    assert precious.is_dir()
