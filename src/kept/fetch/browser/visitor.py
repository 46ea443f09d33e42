"""The browser process: `python -m kept.fetch.browser.visitor EXECUTABLE PROXY SANDBOX` visits page after page.

Started by `pool.py` in a session, a folder and an environment of its own; ends with everything below it when its
worker does.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from types import FrameType
from typing import BinaryIO, Final, NoReturn

from kept.fetch.browser.messages import SPOILING_REASONS, Failed, Order
from kept.subprocesses.child import arm, send_frame
from kept.subprocesses.frames import Frame, receive_frame
from kept.subprocesses.tree import kill_descendants

CLOSE_SECONDS: Final = 5.0


def main() -> None:
    signal.signal(signal.SIGTERM, end_everything)
    asyncio.run(serve(sys.argv[1:], arm(signal.SIGTERM)))


def end_everything(_number: int, _frame: FrameType | None) -> NoReturn:
    kill_descendants(os.getpid())
    os._exit(1)


async def serve(launch: Sequence[str], output: BinaryIO) -> None:
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    try:
        await answer_orders(launch, orders, output)
    except asyncio.IncompleteReadError:
        pass  # the worker closed our input: nothing more to do
    finally:
        kill_descendants(os.getpid())


async def answer_orders(launch: Sequence[str], orders: asyncio.StreamReader, output: BinaryIO) -> None:
    from kept.fetch.browser import visit  # imports Playwright, which takes a quarter of a second

    async with visit.launched(*launch) as browser:
        browser.on("disconnected", lambda _: os.kill(os.getpid(), signal.SIGTERM))  # no browser, no process
        while True:
            order = await receive_frame(orders)
            report, body = await visit.visit(browser, Order(**order.header))
            is_spoilt = isinstance(report, Failed) and report.reason in SPOILING_REASONS
            send_frame(output, Frame({**asdict(report), "retire": is_spoilt}, body))
            if is_spoilt:
                return
            async with asyncio.timeout(CLOSE_SECONDS):
                await visit.close_contexts(browser)


if __name__ == "__main__":
    main()
