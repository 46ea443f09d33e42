"""What runs below a process, and the end of it; with real processes."""

import os
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from kept.subprocesses.tree import (
    find_by_argument,
    find_descendants,
    kill_descendants,
    measure_tree_bytes,
)

NOBODY = 2**22 + 1

# A process that ignores polite signals, with a dead child that nobody has waited for, and a living one in a session
# of its own, as Playwright starts Chromium, which has a child in turn.
FAMILY = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
dead = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
dead.stdout.read()
inner = "import subprocess, sys; c = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE);"
inner += "print(c.pid, flush=True); input()"
child = subprocess.Popen(
    [sys.executable, "-c", inner], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
)
print(dead.pid, child.pid, child.stdout.readline(), flush=True)
input()
"""


@pytest.fixture
def family() -> Iterator[tuple[int, int, int, int]]:
    """The ids of a process, its dead child, its living child, and that one's child."""
    parent = subprocess.Popen([sys.executable, "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    dead, child, grandchild = map(int, parent.stdout.readline().split())
    yield parent.pid, dead, child, grandchild
    parent.kill()
    parent.communicate()


def test_descendants_are_found_at_every_depth_and_zombies_are_not_counted(family: tuple[int, int, int, int]) -> None:
    parent, dead, child, grandchild = family
    assert psutil.Process(dead).status() == psutil.STATUS_ZOMBIE

    assert {process.pid for process in find_descendants(parent)} == {child, grandchild}


def test_below_a_process_that_is_gone_there_is_nothing() -> None:
    assert find_descendants(NOBODY) == []
    assert measure_tree_bytes(NOBODY) == 0
    kill_descendants(NOBODY)


def test_killing_what_is_below_reaches_children_in_sessions_of_their_own(family: tuple[int, int, int, int]) -> None:
    parent, *_ = family
    below = find_descendants(parent)
    assert measure_tree_bytes(parent) > 1024 * 1024

    kill_descendants(parent)

    assert find_descendants(parent) == []
    assert all(not process.is_running() or process.status() == psutil.STATUS_ZOMBIE for process in below)
    assert psutil.Process(parent).status() != psutil.STATUS_ZOMBIE


def test_a_process_is_found_by_its_arguments_but_never_ourselves() -> None:
    marker = f"--marker={os.getpid()}-{os.urandom(4).hex()}"
    process = subprocess.Popen([sys.executable, "-c", "input()", marker], stdin=subprocess.PIPE)

    assert [found.pid for found in find_by_argument(marker)] == [process.pid]

    process.communicate(b"\n")
