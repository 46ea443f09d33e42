"""Small tools for markup: walking a tree, sets of tag names, and character references."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # the server imports this module, and no parser
    from selectolax.lexbor import LexborNode

# As many levels as an article may have: nh3 takes 80 ms for them.
MAX_DEPTH: Final = 5_000

Visit = Callable[["LexborNode"], str | None]
"""A function that writes what opens a node and returns what closes it, or None if its content is left out."""

# Python reads no number of more than 4,300 digits, leading zeros counted, and `unescape` raises what that raises.
_LEADING_ZEROS: Final = re.compile(r"&#0+(?=[0-9])")
_BEYOND_UNICODE: Final = re.compile(r"&#[1-9][0-9]{7,}+;?")


def walk(first: LexborNode | None, visit: Visit, out: list[str], *, alone: bool = False) -> bool:
    """Visit every node from there on, or that one `alone` with all in it; return False if one is nested too deep.

    It is a loop and not a recursion, so that depth costs no stack.
    """
    closers: list[tuple[LexborNode, str]] = []
    node = first
    while node is not None:
        closer = visit(node)
        child = node.first_child if closer is not None else None
        if child is not None:
            closers.append((node, closer or ""))
            if len(closers) > MAX_DEPTH:
                return False
            node = child
            continue
        out.append(closer or "")
        following = None if alone and not closers else node.next
        while following is None and closers:
            parent, closer = closers.pop()
            out.append(closer)
            following = None if alone and not closers else parent.next
        node = following
    return True


def tags(names: str) -> frozenset[str]:
    """Return the tag names in a text, which white space separates; tables of tags are easier to read so."""
    return frozenset(names.split())


def decode_entities(text: str) -> str:
    """Decode character references (`&amp;`, `&#228;`) in text that no parser has read; nothing else calls `unescape`.

    It does as browsers do; a number that is no character becomes U+FFFD.
    """
    if "&#" in text:
        text = _BEYOND_UNICODE.sub("\ufffd", _LEADING_ZEROS.sub("&#", text))
    return unescape(text) if "&" in text else text
