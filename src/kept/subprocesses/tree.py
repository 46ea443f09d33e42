"""The process tree, by psutil: what runs below a process, how much memory it holds, and how all of it is killed.
Process groups are not enough: Playwright's driver starts Chromium in a session of its own."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

# Each round kills everything seen; another one is needed only if something was started in between.
KILL_ROUNDS: Final = 50


def find_descendants(root: int) -> list[psutil.Process]:
    """Return the living processes below `root`. `Process.children` would fail on another user's process."""
    children: dict[int | None, list[psutil.Process]] = {}
    for process in psutil.process_iter(["ppid"]):
        children.setdefault(process.info["ppid"], []).append(process)
    found = children.pop(root, [])
    for process in found:  # the list grows meanwhile
        found += children.pop(process.pid, [])
    return [process for process in found if is_alive(process)]


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() not in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}
    except psutil.NoSuchProcess:
        return False


def find_by_argument(text: str) -> list[psutil.Process]:
    """Return the processes with `text` in their command line, except this one."""
    others = (process for process in psutil.process_iter(["cmdline"]) if process.pid != os.getpid())
    return [process for process in others if text in " ".join(process.info["cmdline"] or ())]


def kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            process.kill()


def kill_descendants(root: int) -> None:
    """Kill everything below `root`, and what was started meanwhile, until nothing is left. Nothing is stopped first: if
    we died meanwhile, it would stay stopped."""
    for _ in range(KILL_ROUNDS):
        below = find_descendants(root)
        if not below:
            return
        kill(below)


def measure_tree_bytes(root: int) -> int:
    return sum(read_private_bytes(pid) for pid in (root, *(process.pid for process in find_descendants(root))))


def read_private_bytes(pid: int) -> int:
    """Return the memory of a process that is not a mapped file, which a hostile page can make it take.

    psutil has no such figure: `rss` counts mapped files, `uss` walks every page and leaves out shared memory.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("RssAnon:", "RssShmem:", "VmSwap:")))
