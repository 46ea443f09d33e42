"""Speaks to the Readability sidecar, a long-lived Node process. For the extractor child alone: it blocks.

Node stops itself when a page takes too long; if not even that, it is killed and started anew next time.
"""

import os
import select
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from kept.content.article.readable import Finish, NotReadable, Readable, ReadableCode
from kept.subprocesses.frames import LENGTHS, Frame, FrameError, encode_frame, parse_frame, parse_lengths
from kept.subprocesses.process import resident_bytes, start_grandchild

# Node answers by itself when its time is up; this is for a Node that hangs outside of what V8 can interrupt.
GRACE_SECONDS: Final = 0.5
# Measured: the corpus' largest page needs 90 MB of heap, 200,000 nested elements with attributes 330 MB.
HEAP_MEGABYTES: Final = 512
FIELDS: Final = ("title", "byline", "dir", "lang", "excerpt", "site_name", "published_time")

Outcome = TypeVar("Outcome")


class Sidecar:
    """A `Reader` that runs Mozilla's Readability in Node, started when first needed."""

    def __init__(self, node: Path, bundle: Path) -> None:
        self._command: Final = (
            str(node),
            f"--max-old-space-size={HEAP_MEGABYTES}",
            "--max-semi-space-size=32",  # a page is mostly short-lived objects: 18.5 against 16.8 ms a page
            "--stack-size=1900",  # of the usual 8 MB: Readability recurses over the tree
            "--disallow-code-generation-from-strings",
            str(bundle),
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def resident_bytes(self) -> int:
        return resident_bytes(self.pid) if self.pid else 0

    def start(self, html: str, timeout_seconds: float) -> Finish:
        """Send the page off; Node reads it while the caller does something else."""
        deadline = time.monotonic() + timeout_seconds + GRACE_SECONDS
        request = Frame({"timeout_ms": max(1, int(timeout_seconds * 1000))}, html.encode(errors="replace"))
        sent = self._attempt(lambda: send(self._running(), request, deadline))
        if isinstance(sent, NotReadable):
            return lambda: sent
        # The answer comes from the process that got the page, and from no other: one that died meanwhile has none.
        return lambda: self._attempt(lambda: parse_answer(receive(sent, deadline)))

    def _attempt(self, action: Callable[[], Outcome]) -> Outcome | NotReadable:
        try:
            return action()
        except TimeoutError:
            self.stop()
            return NotReadable(ReadableCode.TIMED_OUT, "Readability did not answer in time.")
        except (OSError, EOFError, FrameError) as error:
            self.stop()
            return NotReadable(ReadableCode.NOT_READABLE, f"Readability was lost: {error}", lost=True)

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:  # it died between two pages
            self.stop()
        if self._process is None:
            self._process = start_grandchild(self._command)
        return self._process


def send(process: subprocess.Popen[bytes], request: Frame, deadline: float) -> subprocess.Popen[bytes]:
    assert process.stdin is not None
    write_all(process.stdin.fileno(), encode_frame(request), deadline)
    return process


def receive(process: subprocess.Popen[bytes], deadline: float) -> Frame:
    assert process.stdout is not None
    source = process.stdout.fileno()
    header_length, body_length = parse_lengths(read_exactly(source, LENGTHS.size, deadline))
    header = read_exactly(source, header_length, deadline)
    return parse_frame(header, read_exactly(source, body_length, deadline))


def parse_answer(answer: Frame) -> Readable | NotReadable:
    match answer.header.get("code"):
        case ReadableCode.OK:
            fields = {name: answer.header.get(name) for name in FIELDS}
            return Readable(answer.body.decode(errors="replace"), **fields)
        case ReadableCode.TIMED_OUT:
            return NotReadable(ReadableCode.TIMED_OUT, "Readability took too long.")
        case _:
            message = str(answer.header.get("message") or "Readability failed.")
            return NotReadable(ReadableCode.NOT_READABLE, message)


def write_all(sink: int, data: bytes, deadline: float) -> None:
    os.set_blocking(sink, False)
    rest = memoryview(data)
    while rest:
        wait_for(sink, select.POLLOUT, deadline)
        with suppress(BlockingIOError):
            rest = rest[os.write(sink, rest) :]


def read_exactly(source: int, length: int, deadline: float) -> bytes:
    chunks: list[bytes] = []
    while length:
        wait_for(source, select.POLLIN, deadline)
        chunk = os.read(source, min(length, 1 << 20))
        if not chunk:
            raise EOFError("it ended")
        chunks.append(chunk)
        length -= len(chunk)
    return b"".join(chunks)


def wait_for(pipe: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(pipe, event)
    remaining = deadline - time.monotonic()
    if remaining <= 0 or not poll.poll(remaining * 1000):
        raise TimeoutError
