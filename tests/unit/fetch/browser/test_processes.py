import os
import subprocess
import sys

import pytest

from kept.fetch.browser.processes import (
    Process,
    find_by_argument,
    find_descendants,
    kill_tree,
    measure_tree_bytes,
    read_process,
    read_process_table,
)

# A parent that ignores polite signals, with a child in a session of its own, as Playwright starts Chromium.
FAMILY = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
print(child.pid, flush=True)
input()
"""


def table(*rows: tuple[int, int, str]) -> dict[int, Process]:
    return {pid: Process(pid, parent, state, 0) for pid, parent, state in rows}


def test_descendants_are_found_at_every_depth_and_zombies_are_not_counted() -> None:
    processes = table((1, 0, "S"), (2, 1, "S"), (3, 2, "Z"), (4, 3, "R"), (5, 1, "S"), (9, 8, "S"))

    assert {process.pid for process in find_descendants(1, processes)} == {2, 4, 5}


def test_a_process_that_is_gone_has_no_line_in_the_table() -> None:
    assert read_process(2**22 + 1) is None


@pytest.mark.skipif(not read_process_table(), reason="no /proc on this system")
def test_killing_a_tree_reaches_children_in_sessions_of_their_own() -> None:
    parent = subprocess.Popen([sys.executable, "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    grandchild = int(parent.stdout.readline())
    assert [process.pid for process in find_descendants(parent.pid, read_process_table())] == [grandchild]
    assert measure_tree_bytes(parent.pid) > 1024 * 1024

    kill_tree(parent.pid)

    assert parent.wait(timeout=10) < 0
    parent.communicate()
    left = read_process(grandchild)
    assert left is None or not left.is_alive


def test_a_process_is_found_by_its_arguments_but_never_ourselves() -> None:
    marker = f"--marker={os.getpid()}-{os.urandom(4).hex()}"
    process = subprocess.Popen([sys.executable, "-c", "input()", marker], stdin=subprocess.PIPE)

    assert find_by_argument(marker) == [process.pid]

    process.communicate(b"\n")
