"""Memory of a few processes as if they were alone on the machine: a page that several of them share is divided among
them, and whoever else uses the same libraries does not count. Linux tells which page is which to root alone."""

import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

PAGE = 4096
PRESENT, FRAME = 1 << 63, (1 << 55) - 1
NOT_MEMORY = ("[vsyscall]", "[vvar", "[vdso]")


def measure_tree_mb(pids: Sequence[int]) -> dict[int, float]:
    """MB of each process that still runs."""
    frames: dict[int, list[int]] = {}
    for pid in pids:
        with suppress(OSError):
            frames[pid] = list(list_frames(pid))
    sharing = Counter(frame for found in frames.values() for frame in found)
    return {pid: sum(PAGE / sharing[frame] for frame in found) / 2**20 for pid, found in frames.items()}


def list_frames(pid: int) -> Iterator[int]:
    """The page frames that a process has in memory."""
    with Path(f"/proc/{pid}/pagemap").open("rb", buffering=0) as pagemap:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, *rest = line.split(maxsplit=5)
            if len(rest) == 5 and rest[4].startswith(NOT_MEMORY):
                continue
            start, end = (int(address, 16) // PAGE for address in span.split("-"))
            pagemap.seek(start * 8)
            entries = pagemap.read((end - start) * 8)
            for (entry,) in struct.iter_unpack("Q", entries[: len(entries) // 8 * 8]):
                if entry & PRESENT:
                    if not entry & FRAME:
                        raise PermissionError("only root is told which page is which")
                    yield entry & FRAME
