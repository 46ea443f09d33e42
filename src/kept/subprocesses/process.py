"""A killable child process that runs a worker program: started by exec, asked in frames, killed with its whole tree.
What the child itself does at its start is in `child.py`."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, TypeVar

from kept.subprocesses.child import MEMORY_VARIABLE, PARENT_VARIABLE
from kept.subprocesses.frames import MAX_BODY_BYTES, Frame, FrameError, encode_frame, receive_frame
from kept.subprocesses.tree import kill_descendants, measure_tree_bytes

# The module whose table holds every program but the browser's.
WORKERS: Final = "kept.subprocesses.workers"
STDERR_TAIL_BYTES: Final = 2000
MEMORY_CHECK_SECONDS: Final = 0.5
REAP_SECONDS: Final = 5.0
STDERR_SECONDS: Final = 0.5
# These signals end a program that cannot go on; refused memory often ends in one of them.
FAULTS: Final = frozenset(
    {signal.SIGSEGV, signal.SIGABRT, signal.SIGTRAP, signal.SIGILL, signal.SIGBUS, signal.SIGFPE, signal.SIGSYS}
)

T = TypeVar("T")


def choose_environment() -> dict[str, str]:
    """Return the variables Python needs to run, and no others: settings may hold passwords."""
    passed = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "PYTHONPATH") if name in os.environ}
    # The hash seed is fixed, so that anything that depends on the order of a set always meets the same order.
    return {**passed, "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}


class ProcessLost(Exception):
    """The child process did not start, died, or answered nonsense; the message says how, for the log."""

    def __init__(self, message: str, process: "ChildProcess | None" = None) -> None:
        super().__init__(message)
        self._process: Final = process

    @property
    def stderr(self) -> str:
        return self._process.stderr if self._process else ""


class MemoryExceeded(ProcessLost):
    """The process and all below it took more memory than is allowed."""


@dataclass(frozen=True, slots=True)
class WorkerProgram:
    """A module to run in a child process, and its limits."""

    module: str
    memory_bytes: int
    """The limit of each process: the child itself, and whatever it starts."""
    arguments: tuple[str, ...] = ()
    tree_memory_bytes: int | None = None
    """The limit of the child and all below it together, if their number is not known."""
    inherited_descriptors: tuple[int, ...] = ()
    """Open files it may use, under the same numbers."""
    environment: Mapping[str, str] = field(default_factory=choose_environment)
    folder: str = "/"
    clean_up: Callable[[], None] | None = None
    """Called in a thread once the child has been killed, perhaps more than once."""

    async def start(self) -> "ChildProcess":
        """Run it in a new session: no terminal reaches it, and its process group is its pid. It dies with the thread
        that starts it, the event loop's, which must be one that stays."""
        limits = {PARENT_VARIABLE: str(os.getpid()), MEMORY_VARIABLE: str(self.memory_bytes)}
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", self.module, *self.arguments),  # -P: import nothing from the folder
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=self.inherited_descriptors,
                env={**self.environment, **limits},
                cwd=self.folder,
            )
        except BaseException as error:
            if self.clean_up:
                self.clean_up()
            if isinstance(error, OSError):
                raise ProcessLost(str(error)) from error
            raise
        return ChildProcess(process, self)


class ChildProcess:
    """A running worker program. It takes one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process, program: WorkerProgram) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin: Final = process.stdin
        self._stdout: Final = process.stdout
        self._process: Final = process
        self._program: Final = program
        self._is_over_memory = False
        self._stderr_tail: Final = bytearray()
        self._stderr_reader: Final = asyncio.create_task(self._read_stderr())
        self.requests = 0
        self.wants_to_retire = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    @property
    def crashed(self) -> bool:
        """True if it ended by a fault of its own and was not killed by somebody; known once it has ended."""
        return self._process.returncode is not None and -self._process.returncode in FAULTS

    @property
    def stderr(self) -> str:
        """The end of its standard error; complete once it has been killed."""
        return self._stderr_tail.decode(errors="replace").strip()

    async def ask(self, request: Frame, parse: Callable[[Frame], T], *, max_body_bytes: int = MAX_BODY_BYTES) -> T:
        """Return the answer as `parse` understands it, or raise ProcessLost, also if `parse` raises `FrameError`.

        The caller sets the deadline, and kills a process that was lost or cancelled in the middle of a request.
        """
        self.requests += 1
        limit = self._program.tree_memory_bytes
        watching = asyncio.create_task(self._watch_memory(limit)) if limit else None
        try:
            self._stdin.write(encode_frame(request))
            await self._stdin.drain()
            answer = await receive_frame(self._stdout, max_body_bytes)
            if self._is_over_memory:  # the processes below it died first, and it still answered
                raise EOFError("killed for its memory")
            self.wants_to_retire = bool(answer.header.get("retire"))
            return parse(answer)
        except (OSError, EOFError, FrameError) as error:
            raise (MemoryExceeded if self._is_over_memory else ProcessLost)(str(error), self) from error
        finally:
            if watching:
                watching.cancel()

    async def kill(self) -> None:
        """Kill the process and everything below it, wait until it is gone, clean up. May be called again."""
        self._kill_tree()
        with suppress(TimeoutError):
            async with asyncio.timeout(REAP_SECONDS):
                await self._process.wait()
        if self._program.clean_up:
            await asyncio.to_thread(self._program.clean_up)
        await asyncio.wait({self._stderr_reader}, timeout=STDERR_SECONDS)
        self._stderr_reader.cancel()
        self._stdin.close()

    def _kill_tree(self) -> None:
        if self.is_running:
            kill_descendants(self.pid)
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)

    async def _watch_memory(self, limit: int) -> None:
        """Kill the processes if their sum exceeds the limit: the kernel limits each, but not their number."""
        while await asyncio.to_thread(measure_tree_bytes, self.pid) <= limit:  # noqa: ASYNC110
            await asyncio.sleep(MEMORY_CHECK_SECONDS)
        self._is_over_memory = True
        self._kill_tree()

    async def _read_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        while chunk := await stderr.read(4096):
            self._stderr_tail.extend(chunk)
            del self._stderr_tail[:-STDERR_TAIL_BYTES]
