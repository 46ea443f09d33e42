"""One browser and the child process that drives it, as the worker sees them: start, visit, end.

A slot does one visit at a time. Whatever goes wrong, `end` leaves no process and no folder behind.
"""

import asyncio
import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kept.fetch.browser import folders, frames, processes

# Names of variables that a child needs to find its libraries, fonts and words. Everything else stays with the
# worker: passwords live in the environment, and a page that breaks out of the browser shall not find them.
PASSED_VARIABLES: Final = (
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "FONTCONFIG_FILE",
    "FONTCONFIG_PATH",
    "XDG_DATA_DIRS",
    "PLAYWRIGHT_BROWSERS_PATH",
    "PLAYWRIGHT_NODEJS_PATH",
)
MAX_THUMBNAIL_BYTES: Final = 2 * 1024 * 1024
MEMORY_CHECK_SECONDS: Final = 0.5
REAP_SECONDS: Final = 5.0
LOG_FILE: Final = "log"
MAX_LOG_BYTES: Final = 2000


@dataclass(frozen=True, slots=True)
class SlotOptions:
    """What every browser of a worker has in common."""

    executable: Path
    sandbox: bool
    proxy: str
    folder_parent: Path
    memory_bytes: int
    launch_seconds: float


class SlotLostError(Exception):
    """The child is gone, or does not speak our language any more."""


class MemoryExceededError(Exception):
    """The browser as a whole took more memory than it may."""


class Slot:
    """A started browser. Made by `start_slot`; after `end` it cannot be used again."""

    def __init__(self, child: asyncio.subprocess.Process, folder: Path, options: SlotOptions) -> None:
        self.child = child
        self.folder = folder
        self.options = options
        self.pages = 0
        self.retirement: asyncio.TimerHandle | None = None

    @property
    def is_alive(self) -> bool:
        return self.child.returncode is None

    async def ask(self, message: frames.Message, max_part_bytes: int) -> tuple[frames.Message, list[bytes]]:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        try:
            self.child.stdin.write(frames.encode(message))
            await self.child.stdin.drain()
            return await frames.read_message(self.child.stdout, max_part_bytes=max_part_bytes)
        except (OSError, asyncio.IncompleteReadError, frames.FrameError) as error:
            raise SlotLostError(f"{error}; {self.read_log()}") from error

    def read_log(self) -> str:
        """The end of what the child had to say: why Chromium did not start, for one."""
        try:
            return (self.folder / LOG_FILE).read_bytes()[-MAX_LOG_BYTES:].decode(errors="replace")
        except OSError:
            return ""

    async def visit(self, order: frames.Order) -> tuple[frames.Seen | frames.Failed, list[bytes]]:
        """The caller sets the deadline, and ends a slot that lost its child or outgrew its memory."""
        self.pages += 1
        # At most four bytes a character in UTF-8.
        limit = max(order.max_html_chars * 4, MAX_THUMBNAIL_BYTES)
        asking = asyncio.ensure_future(self.ask(order, limit))
        watching = asyncio.ensure_future(self.watch_memory())
        try:
            await asyncio.wait({asking, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise MemoryExceededError
            report, parts = asking.result()
        finally:
            asking.cancel()
            watching.cancel()
            await asyncio.gather(asking, watching, return_exceptions=True)
        if not isinstance(report, (frames.Seen, frames.Failed)):
            raise SlotLostError(f"unexpected answer {type(report).__name__}")
        return report, parts

    async def watch_memory(self) -> None:
        """Return once the whole tree is too large: the limit each process has does not bound their number."""
        # The kernel raises no event for this.
        while processes.measure_tree_bytes(self.child.pid) <= self.options.memory_bytes:  # noqa: ASYNC110
            await asyncio.sleep(MEMORY_CHECK_SECONDS)

    async def end(self) -> None:
        """Kill everything, wait until it is gone, remove the folder. Safe to call twice."""
        if self.is_alive:
            processes.kill_tree(self.child.pid)
        processes.kill(processes.find_by_argument(f"{self.folder}/"))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REAP_SECONDS):
                await self.child.wait()
        await asyncio.to_thread(folders.remove_folder, self.folder)


async def start_slot(options: SlotOptions) -> Slot:
    """Raises `SlotLostError` where the browser does not start; the caller sets the deadline."""
    folder = folders.make_folder(options.folder_parent)
    try:
        child = await start_child(folder, options)
    except OSError:
        folders.remove_folder(folder)
        raise
    slot = Slot(child, folder, options)
    try:
        launch = frames.Launch(str(options.executable), options.sandbox, options.proxy, options.launch_seconds)
        await slot.ask(launch, 0)
    except BaseException:
        await asyncio.shield(slot.end())
        raise
    return slot


async def start_child(folder: Path, options: SlotOptions) -> asyncio.subprocess.Process:
    """The child ends with the thread that starts it: the event loop's, which must be one that stays."""
    with open(folder / LOG_FILE, "wb") as log:  # noqa: ASYNC230 - made, not read
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "kept.fetch.browser.visitor",
            str(os.getpid()),
            str(options.memory_bytes),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            cwd=folder,
            env=child_environment(folder),
            start_new_session=True,
        )


def child_environment(folder: Path) -> dict[str, str]:
    passed = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
    return {**passed, "TMPDIR": str(folder), "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
