"""How this process gives memory back to the system. For glibc; other allocators are left as they are."""

import ctypes
from typing import Final

M_MMAP_THRESHOLD: Final = -3
M_ARENA_MAX: Final = -8
# On the corpus 128 KB, with which glibc starts, leave no less memory and cost twice the page faults.
LARGE_BYTES: Final = 512 * 1024


def set_up_allocator() -> None:
    """Give a large block back as soon as it is freed, and let all threads use one heap.

    By itself glibc takes the largest block that was ever freed, up to 32 MB, for one that the heap should keep. Pages
    and their trees then lie in the heap, between small blocks that stay: an extractor kept 17 MB more after 110 pages.
    And each thread has a heap of its own, where no other uses what it has freed: 2 MB of a worker.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(M_ARENA_MAX, 1)


def return_free_memory() -> None:
    """Give back what lies free between blocks in use: it takes a millisecond, and the next page another one."""
    malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if malloc_trim is not None:
        malloc_trim(0)
