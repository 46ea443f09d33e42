"""The folder of a browser, with its profile, temporary files and home; it is removed with the browser.

A worker that is killed leaves its folders behind, and perhaps a process. A worker holds a lock on each of its folders,
which the kernel releases when it dies: so the next worker to start knows which are abandoned.
"""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from kept.subprocesses.tree import find_by_argument, kill

PREFIX: Final = "kept-browser-"
LOCK_FILE: Final = "lock"
# A worker locks a folder microseconds after making it; one without a lock for longer than this is a wreck.
UNLOCKED_GRACE_SECONDS: Final = 60.0

# Chromium puts a socket below its temporary folder, in a path of 45 characters more; the kernel takes 107.
MAX_PARENT_CHARS: Final = 40


class BrowserFolder:
    """A new folder below `parent`, locked until it is removed or this process ends."""

    def __init__(self, parent: Path) -> None:
        self.path: Final = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))  # mode 0700
        self.lock: Final = open(self.path / "new-lock", "wb")  # noqa: SIM115
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        os.rename(self.lock.name, self.path / LOCK_FILE)  # under its name it is locked from the first moment

    def remove(self) -> None:
        clear_folder(self.path)
        self.lock.close()


def choose_parent() -> Path:
    """Return the system's temporary folder, unless its path is too long for Chromium's socket."""
    usual = Path(tempfile.gettempdir())
    return usual if len(str(usual)) <= MAX_PARENT_CHARS else Path("/tmp")  # noqa: S108 - made by mkdtemp


def clear_orphans(parent: Path) -> int:
    """End the browsers and remove the folders of workers that are no more; returns how many folders."""
    count = 0
    for path in parent.glob(f"{PREFIX}*"):
        with suppress(FileNotFoundError):  # its worker has just removed it
            if is_abandoned(path):
                clear_folder(path)
                count += 1
    return count


def clear_folder(path: Path) -> None:
    """Kill the browser's processes, which all name its profile folder as an argument, and remove the folder."""
    kill(find_by_argument(f"{path}/"))
    shutil.rmtree(path, ignore_errors=True)


def is_abandoned(path: Path) -> bool:
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        return False  # not ours: /tmp is everybody's, and a name proves nothing
    try:
        with open(path / LOCK_FILE, "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except BlockingIOError:
        return False
    except OSError:
        return time.time() - status.st_mtime > UNLOCKED_GRACE_SECONDS
