"""Children that cannot outlive us: started by exec, killed with all their own, gone when we are gone.

Two kinds. The parent starts a child in a session of its own (`start_child`, asyncio), and the child arms
itself first thing (`arm`). What that child starts in turn (`start_grandchild`) stays in its group, so that
one kill takes both.
"""

import asyncio
import ctypes
import fcntl
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

PARENT_VARIABLE: Final = "KEPT_CHILD_OF"
PR_SET_PDEATHSIG: Final = 1
PIPE_BYTES: Final = 256 * 1024  # most pages in one go, instead of a switch of processes for every 64 KB
STDERR_TAIL_BYTES: Final = 16 * 1024

_libc: Final = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class Child:
    """A running child with frames on stdin and stdout, and the end of what it said on stderr."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin: Final = process.stdin
        self.stdout: Final = process.stdout
        self._process: Final = process
        self._complaints = bytearray()
        self._listener: Final = asyncio.create_task(self._listen())

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    @property
    def complaints(self) -> str:
        return self._complaints.decode(errors="replace").strip()

    async def kill(self) -> None:
        """End the child and everything it started, and wait until it is gone."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        await self._process.wait()
        await self._listener
        self.stdin.close()

    async def _listen(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        while chunk := await stderr.read(4096):
            self._complaints += chunk
            del self._complaints[:-STDERR_TAIL_BYTES]


async def start_child(arguments: Sequence[str]) -> Child:
    """Start a program in a new session: no terminal reaches it, and its process group is its pid.

    It sees none of our environment but what programs need to run: settings may hold passwords.
    """
    process = await asyncio.create_subprocess_exec(
        *arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=bare_environment(os.environ),
        cwd="/",
    )
    return Child(process)


def bare_environment(environment: Mapping[str, str]) -> dict[str, str]:
    kept = {name: environment[name] for name in ("PATH", "HOME", "TMPDIR", "PYTHONPATH") if name in environment}
    # A fixed hash seed: should anything depend on the order of a set, then always on the same order.
    return {**kept, "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", PARENT_VARIABLE: str(os.getpid())}


def arm(memory_bytes: int) -> None:
    """Called by a child before anything else: die with the parent, and never use more memory than this.

    Done here and not between fork and exec, where Python code may deadlock if the parent has threads.
    """
    die_with_parent()
    if os.getppid() != int(os.environ[PARENT_VARIABLE]):  # it died before we could ask to be told
        sys.exit(1)
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    widen(sys.stdin.fileno())
    widen(sys.stdout.fileno())


def widen(pipe: int) -> None:
    """Done by the child: the parent's loop may be uvloop, which knows no `pipesize` and whose pipes are sockets."""
    with suppress(OSError, AttributeError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)


def die_with_parent() -> None:
    """Ask the kernel for SIGKILL when the parent is gone. Elsewhere than on Linux a closed pipe must do."""
    if _libc is not None and _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")


def start_grandchild(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a program in our own process group that dies with us.

    For armed children only: they have one thread, so that code between fork and exec is safe.
    """
    return subprocess.Popen(  # noqa: S603
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None,
        bufsize=0,
        pipesize=PIPE_BYTES,
        preexec_fn=die_with_parent,
        env={name: value for name, value in os.environ.items() if name != PARENT_VARIABLE},
    )


def resident_bytes(pid: int) -> int:
    """How much memory a process holds now; 0 if it is gone."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()
    except OSError:
        return 0
