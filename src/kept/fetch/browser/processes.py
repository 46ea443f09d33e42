"""Finds and ends the processes of a browser: Playwright's driver, Chromium and everything Chromium starts.

Used by the worker (on its child), by the child (on itself, when the worker dies) and at start (on orphans).
Process groups are not enough: the driver puts Chromium in a session of its own. So the child is a
*subreaper*: whoever loses its parent becomes the child's own, and the tree below it is always complete.
"""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
# Each round kills everything seen; a second one is needed only if something was forked in between.
KILL_ROUNDS: Final = 50


@dataclass(frozen=True, slots=True)
class Process:
    """One line of the process table."""

    pid: int
    parent: int
    state: str
    started_ticks: int

    @property
    def is_alive(self) -> bool:
        return self.state not in {"Z", "X"}


def read_process(pid: int) -> Process | None:
    try:
        text = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the name before it may hold spaces and brackets
    return Process(pid, int(fields[1]), fields[0], int(fields[19]))


def read_process_table() -> dict[int, Process]:
    """Every process, by id; empty where there is no /proc."""
    if not PROC.is_dir():
        return {}
    found = (read_process(int(name)) for name in os.listdir(PROC) if name.isdecimal())
    return {process.pid: process for process in found if process is not None}


def find_descendants(root: int, table: Mapping[int, Process]) -> list[Process]:
    """The living processes below `root`, parents before children."""
    children: dict[int, list[Process]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    queue = list(children.get(root, ()))
    while queue:
        process = queue.pop()
        found.append(process)
        queue.extend(children.get(process.pid, ()))
    return [process for process in found if process.is_alive]


def kill(pids: Iterable[int], number: int = signal.SIGKILL) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def kill_descendants(root: int) -> None:
    """Kill everything below `root`, and again what was started meanwhile, until nothing is left."""
    for _ in range(KILL_ROUNDS):
        below = find_descendants(root, read_process_table())
        if not below:
            return
        kill(process.pid for process in below)


def kill_tree(root: int) -> None:
    """Kill a browser child and all it started. Never stop it first: if we died meanwhile, it would stay stopped."""
    kill_descendants(root)
    kill([root])


def find_by_argument(text: str) -> list[int]:
    """Processes with `text` in their command line; Chromium passes its profile folder to every child."""
    mine = os.getpid()
    return [pid for pid in read_process_table() if pid != mine and text in read_command_line(pid)]


def read_command_line(pid: int) -> str:
    try:
        return (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def read_private_bytes(pid: int) -> int:
    """Memory a process holds that is not a mapped file: what a hostile page can make it take."""
    try:
        lines = (PROC / str(pid) / "status").read_text(errors="replace").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("RssAnon:", "RssShmem:", "VmSwap:")))


def measure_tree_bytes(root: int) -> int:
    below = find_descendants(root, read_process_table())
    return read_private_bytes(root) + sum(read_private_bytes(process.pid) for process in below)


def die_with_parent(parent: int, number: int) -> None:
    """Be sent `number` when the thread that started us ends; at once if that has already happened."""
    call_prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def adopt_orphans() -> None:
    call_prctl(PR_SET_CHILD_SUBREAPER, 1)


def call_prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)
