"""The folder a browser lives in: profile, temporary files and home, gone when the browser is.

A worker that is killed leaves its folders behind, and perhaps a process. Folders say who made them, so that
the next worker to start knows which are nobody's any more.
"""

import contextlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kept.fetch.browser import processes

PREFIX: Final = "kept-browser-"
OWNER_FILE: Final = "kept-owner.json"
# A worker signs a folder microseconds after making it; one unsigned for longer than this is a wreck.
UNSIGNED_GRACE_SECONDS: Final = 60.0
# Who made a folder in another container or before the last boot cannot be asked; no browser lives this long.
FOREIGN_GRACE_SECONDS: Final = 24 * 3600.0

# Chromium puts a socket below its temporary folder, in a path of 45 characters more; the kernel takes 107.
MAX_PARENT_CHARS: Final = 40


def choose_parent() -> Path:
    """The system's temporary folder, unless its path is too long for Chromium's socket."""
    usual = Path(tempfile.gettempdir())
    return usual if len(str(usual)) <= MAX_PARENT_CHARS else Path("/tmp")  # noqa: S108 - made by mkdtemp


def make_folder(parent: Path) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))  # mode 0700
    me = processes.read_process(os.getpid())
    owner = {"pid": os.getpid(), "started_ticks": me.started_ticks if me else 0, "world": read_world()}
    (folder / OWNER_FILE).write_text(json.dumps(owner))
    return folder


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def clear_orphans(parent: Path) -> int:
    """End the browsers and remove the folders of workers that are no more; returns how many folders."""
    orphans = [folder for folder in iterate_folders(parent) if is_abandoned(folder)]
    for folder in orphans:
        processes.kill(processes.find_by_argument(f"{folder}/"))
        remove_folder(folder)
    return len(orphans)


def iterate_folders(parent: Path) -> Iterator[Path]:
    """Our own folders only: /tmp is everybody's, and a name proves nothing."""
    for path in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
                yield path


def is_abandoned(folder: Path) -> bool:
    try:
        owner = json.loads((folder / OWNER_FILE).read_text())
        pid, started_ticks, world = int(owner["pid"]), int(owner["started_ticks"]), str(owner["world"])
    except (OSError, ValueError, KeyError, TypeError):
        return is_older_than(folder, UNSIGNED_GRACE_SECONDS)
    if world != read_world():
        return is_older_than(folder, FOREIGN_GRACE_SECONDS)
    process = processes.read_process(pid)
    return process is None or process.started_ticks != started_ticks


def is_older_than(folder: Path, seconds: float) -> bool:
    try:
        return time.time() - folder.stat().st_mtime > seconds
    except OSError:
        return False


def read_world() -> str:
    """Where a process id means something: this boot, and this container (two may share a temporary folder)."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip() + os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
