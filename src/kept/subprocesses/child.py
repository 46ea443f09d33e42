"""What a worker program calls in its own process: it sets limits and ends with its parent, then answers requests. It
imports nothing heavy: every child process starts through here."""

import ctypes
import fcntl
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, Final

from kept.subprocesses.frames import Frame, encode_frame, read_frame

PARENT_VARIABLE: Final = "KEPT_PARENT_PID"
MEMORY_VARIABLE: Final = "KEPT_MEMORY_BYTES"
PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
PIPE_BYTES: Final = 256 * 1024  # most pages fit, instead of a switch of processes for every 64 KB


def serve(output: BinaryIO, answer: Callable[[Frame], Frame], is_worn_out: Callable[[], bool]) -> None:
    """Write answers to `output` until stdin closes. Once worn out, an answer asks the pool to replace this process."""
    while (request := read_frame(sys.stdin.buffer)) is not None:
        made = answer(request)
        send_frame(output, Frame({**made.header, "retire": is_worn_out()}, made.body))
        del request, made  # a page is not held while waiting for the next one


def send_frame(output: BinaryIO, frame: Frame) -> None:
    output.write(encode_frame(frame))
    output.flush()


def arm(death_signal: signal.Signals = signal.SIGKILL) -> BinaryIO:
    """Set the limits, before anything else, and return the stream for answers. This is not done between fork and exec,
    where Python code may deadlock if the parent has threads."""
    memory_bytes, parent = int(os.environ.pop(MEMORY_VARIABLE)), int(os.environ.pop(PARENT_VARIABLE))
    # A process below us that loses its parent becomes our own child, so that a walk down from us finds it.
    call_prctl(PR_SET_CHILD_SUBREAPER, 1)
    die_with_parent(parent, death_signal)
    # Every process we start inherits this. RLIMIT_AS would refuse the address space that V8 and Chromium reserve.
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return claim_output()


def claim_output() -> BinaryIO:
    """Keep standard output for answers alone; whatever a library prints goes to standard error."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for pipe in (0, output.fileno()):
        # Not in the parent: its loop may be uvloop, which has no `pipesize` and whose pipes are sockets.
        with suppress(OSError, AttributeError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return output


def die_with_parent(parent: int, death_signal: signal.Signals = signal.SIGKILL) -> None:
    """Have this process sent the signal when the thread that started it ends, or at once if it has ended."""
    call_prctl(PR_SET_PDEATHSIG, death_signal)
    if os.getppid() != parent:
        os.kill(os.getpid(), death_signal)


def call_prctl(option: int, value: int) -> None:
    """Call prctl on Linux. Elsewhere a closed pipe must do."""
    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")


def resident_bytes(pid: int) -> int:
    """Return how much memory a process holds; 0 if it is gone. Importing psutil would cost 18 ms and 1 MB."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()
    except OSError:
        return 0
