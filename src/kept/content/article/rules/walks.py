"""Walks up a tree that stay linear however deep a page nests its elements, and however many there are.

What they remember is true only while the tree stays as it is: lexbor gives the place of a node that went to a new one.
"""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds

Value = TypeVar("Value")


class Inherited(Generic[Value]):
    """What the nearest element around a node, or the node itself, says; each is asked once for all that stand in it."""

    def __init__(self, own: Callable[[LexborNode], Value | None]) -> None:
        self._own = own
        self._known: dict[int, Value | None] = {}

    def of(self, node: LexborNode | None) -> Value | None:
        value: Value | None = None
        asked: list[int] = []
        while node is not None:
            if node.mem_id in self._known:
                value = self._known[node.mem_id]
                break
            asked.append(node.mem_id)
            value = self._own(node)
            if value is not None:
                break
            node = node.parent
        self._known.update(dict.fromkeys(asked, value))
        return value


def is_inherited(test: Callable[[LexborNode], bool]) -> Inherited[bool]:
    """Whether a test is true of a node or of anything around it."""
    return Inherited(lambda node: test(node) or None)


def holders(nodes: Iterable[LexborNode]) -> set[int]:
    """By `mem_id`, the nodes and everything around them."""
    found: set[int] = set()
    for node in nodes:
        above: LexborNode | None = node
        while above is not None and above.mem_id not in found:
            found.add(above.mem_id)
            above = above.parent
    return found


def shallow(nodes: Iterable[LexborNode], deepest: int = thresholds.DEEPEST) -> list[LexborNode]:
    """Each node once, without those that stand in more than so many of the others.

    For rules that look through each node to its end: all of them together look through a page a few times, not once for
    each of its elements.
    """
    unique = {node.mem_id: node for node in nodes}
    depths: dict[int, int] = {}
    for node in unique.values():
        path = _unknown_above(node, depths)
        above = path[-1].parent if path else None
        depth = depths[above.mem_id] if above is not None else 0
        for inner in reversed(path):
            depth += inner.mem_id in unique
            depths[inner.mem_id] = depth
    return [node for node in unique.values() if depths[node.mem_id] <= deepest + 1]


def _unknown_above(node: LexborNode, known: dict[int, int]) -> list[LexborNode]:
    path: list[LexborNode] = []
    above: LexborNode | None = node
    while above is not None and above.mem_id not in known:
        path.append(above)
        above = above.parent
    return path
