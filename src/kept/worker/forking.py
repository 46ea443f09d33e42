"""The first worker beside a server is forked from it, so that what both import is in memory once.

It is forked when nothing has happened yet but imports: there is no thread, no connection and no random number that both
would have, and nothing of what the server alone needs. It waits until the server says that the database is ready. A
worker that dies is replaced by one that is started by exec.
"""

import asyncio
import os
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NoReturn

from kept.worker.beside_server import run_beside_server, take_place

if TYPE_CHECKING:
    from kept.config import Settings

BEGIN: Final = b"!"


class ForkedWorker:
    """What `asyncio.subprocess.Process` is for a program, as far as the supervisor needs it."""

    def __init__(self, pid: int, connection: socket.socket) -> None:
        self.pid: Final = pid
        self.connection: Final = connection
        self.returncode: int | None = None

    def begin(self) -> None:
        with suppress(OSError):  # it is dead already; `wait` tells
            self.connection.sendall(BEGIN)

    def terminate(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, signal.SIGTERM)

    async def wait(self) -> int:
        ended, loop = asyncio.Event(), asyncio.get_running_loop()
        descriptor = os.pidfd_open(self.pid)
        loop.add_reader(descriptor, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)
        self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])  # noqa: ASYNC222 it has ended
        return self.returncode


def fork_worker(settings: "Settings") -> ForkedWorker | None:
    """None where it has to be started by exec."""
    if not can_fork():
        return None
    server, (ours, theirs) = os.getpid(), socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        be_worker(settings, theirs, server)
    theirs.close()
    return ForkedWorker(pid, ours)


def can_fork() -> bool:
    """On Linux from 5.3 on, which tells of the end of a process by a descriptor; elsewhere libraries may forbid it."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    with suppress(OSError):
        os.close(os.pidfd_open(os.getpid()))
        return True
    return False


def be_worker(settings: "Settings", connection: socket.socket, server: int) -> NoReturn:
    """Never returns to what the server was doing."""
    code = 1
    try:
        os.setsid()  # Ctrl-C in a terminal reaches the server alone, and it tells us once
        take_place(server)
        if connection.recv(1) == BEGIN:
            run_beside_server(settings, connection.detach())
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
