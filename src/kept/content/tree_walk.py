"""One walk over a parser's tree for those who write it anew: a loop, not a recursion, so that depth costs no stack."""

from collections.abc import Callable

from selectolax.lexbor import LexborNode

from kept.content.page.bounds import MAX_DEPTH

Visit = Callable[[LexborNode], str | None]
"""Writes what opens a node; the answer is what closes it, or None if its content is left out."""


def walk(first: LexborNode | None, visit: Visit, out: list[str], *, alone: bool = False) -> bool:
    """Visit every node from there on, or that one alone with all in it; False as soon as one is nested too deep."""
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
