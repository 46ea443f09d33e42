"""The browser child's program: `python -m kept.fetch.browser.visitor PARENT_PID MEMORY_BYTES`.

Started by `slot.py` in a session, a folder and an environment of its own; takes orders on standard input,
answers on standard output, and ends with everything it started when its worker does.
"""

import asyncio
import contextlib
import os
import resource
import signal
import sys
import time
from types import FrameType
from typing import BinaryIO, Final, NoReturn

from kept.fetch.browser import frames, processes

MAX_ORDER_BYTES: Final = 0  # orders have no binary parts
CLOSE_SECONDS: Final = 5.0


def main() -> None:
    parent, memory_bytes = int(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGTERM, end_everything)
    processes.adopt_orphans()
    processes.die_with_parent(parent, signal.SIGTERM)
    # Per process and inherited: Chromium's as well. RLIMIT_AS would refuse its address space reservations.
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asyncio.run(serve(claim_output()))


def claim_output() -> BinaryIO:
    """Keep standard output for answers alone; whatever a library prints goes to standard error."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return output


def end_everything(_number: int, _frame: FrameType | None) -> NoReturn:
    processes.kill_descendants(os.getpid())
    os._exit(1)


async def serve(output: BinaryIO) -> None:
    orders = await open_input()
    try:
        await answer_orders(orders, output)
    except asyncio.IncompleteReadError:
        pass  # the worker closed our input: nothing more to do
    finally:
        processes.kill_descendants(os.getpid())


async def open_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


async def answer_orders(orders: asyncio.StreamReader, output: BinaryIO) -> None:
    from kept.fetch.browser import visit  # imports Playwright, which takes a quarter of a second

    launch, _ = await frames.read_message(orders, max_part_bytes=MAX_ORDER_BYTES)
    assert isinstance(launch, frames.Launch)
    started = time.monotonic()
    async with visit.launched(launch) as browser:
        browser.on("disconnected", lambda _: os.kill(os.getpid(), signal.SIGTERM))  # no browser, no child
        launch_ms = round((time.monotonic() - started) * 1000)
        write(output, frames.encode(frames.Launched(browser.version, launch_ms)))
        while True:
            order, _ = await frames.read_message(orders, max_part_bytes=MAX_ORDER_BYTES)
            assert isinstance(order, frames.Order)
            report, parts = await visit.visit(browser, order)
            write(output, frames.encode(report, *parts))
            if isinstance(report, frames.Failed) and report.trouble.spoils_the_browser:
                return
            async with asyncio.timeout(CLOSE_SECONDS):
                await visit.close_contexts(browser)


def write(output: BinaryIO, data: bytes) -> None:
    output.write(data)
    output.flush()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
