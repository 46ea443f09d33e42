"""The worker beside a server: its place in the system, then its work. Started by exec (`__main__.py`) or by fork
(`forking.py`)."""

import ctypes
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kept.subprocesses.child import die_with_parent

if TYPE_CHECKING:
    from kept.config import Settings

NICENESS: Final = 5  # a third of the server's share of a busy processor
NAME: Final = b"kept-worker"  # at most 15 bytes
PR_SET_NAME: Final = 15


def take_place(server: int) -> None:
    """Before anything else: die with the server, have a name of its own in lists of processes, give way."""
    die_with_parent(server)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_NAME, NAME, 0, 0, 0)
    yield_to_the_server()


def yield_to_the_server() -> None:
    """Whoever saves or reads does not wait for articles that are being made; inherited by every child process."""
    os.nice(NICENESS)
    # Where Linux shares the processor among sessions, as it does in a terminal, niceness counts within one only.
    with suppress(OSError), open("/proc/self/autogroup", "w", encoding="ascii") as autogroup:
        autogroup.write(str(NICENESS))


def run_beside_server(settings: "Settings", metrics: int) -> None:
    """`metrics`: descriptor of a socket to the server."""
    from kept.worker.main import choose_slots, run_worker
    from kept.worker.metrics import share_metrics

    share_metrics(metrics)
    run_worker(settings, choose_slots(settings))
