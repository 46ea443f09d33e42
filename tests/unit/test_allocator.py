"""Large blocks of memory go back to the system: by what glibc says of itself."""

import ctypes
import subprocess
import sys

import pytest

# How many blocks of 1 MB lie outside of the heap, after a larger one was freed.
PROGRAM = """
import ctypes, sys
from kept.allocator import set_up_allocator
class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd a b c d e".split()]
libc = ctypes.CDLL(None)
libc.mallinfo2.restype, libc.malloc.restype, libc.free.argtypes = Info, ctypes.c_void_p, [ctypes.c_void_p]
if sys.argv[1] == "returned":
    set_up_allocator()
libc.free(libc.malloc(8 << 20))
before = libc.mallinfo2().hblks
blocks = [libc.malloc(1 << 20) for _ in range(5)]
print(libc.mallinfo2().hblks - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="an allocator that is left as it is")
@pytest.mark.parametrize(("how", "outside"), [("returned", 5), ("by itself", 0)])
def test_a_large_block_that_was_freed_does_not_move_the_next_ones_into_the_heap(how: str, outside: int) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=True)
    assert int(done.stdout) == outside
