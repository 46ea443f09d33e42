"""Where the prose of a page is: how much of it each element holds, and the smallest element that holds most of it.

Knows nothing of Readability, so that its opinion is a second one. Linear in the number of elements.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.evidence import weigh_own_prose, weigh_prose
from kept.content.article.rules.hints import find_names
from kept.content.article.rules.tree import BLOCKS, name_of
from kept.content.markup import tags

_ITEMS: Final = tags("li td dd")
_LEAVES: Final = _ITEMS | tags("p pre blockquote")
# Hold no blocks; almost half of a page's elements.
_INLINE: Final = tags(
    "b br code em i img input label link meta option picture script small source strong sub sup time u wbr"
)
_AROUND: Final = tags("nav aside footer form dialog menu button select textarea noscript figure figcaption")


@dataclass(slots=True)
class ProseTree:
    """The elements of a page in document order, and the weight of the prose in each."""

    nodes: list[LexborNode] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)

    @property
    def total(self) -> float:
        return self.weights[0]

    def find_densest(self) -> LexborNode:
        """The smallest element that holds most of the prose of everything around it."""
        children: dict[int, list[int]] = {}
        for index in range(1, len(self.nodes)):
            if self.weights[index] > 0:
                children.setdefault(self.parents[index], []).append(index)
        at = 0
        while at in children:
            best = max(children[at], key=self.weights.__getitem__)
            if (
                self.weights[best] < thresholds.LEAST_SHARE_OF_PARENT * self.weights[at]
                or self.nodes[best].tag in _LEAVES
            ):
                break
            at = best
        return self.nodes[at]

    def find_heaviest(self, wanted: list[LexborNode]) -> tuple[LexborNode, float] | None:
        """Of some elements, the one that holds most prose."""
        weights = {node.mem_id: weight for node, weight in zip(self.nodes, self.weights, strict=True)}
        weighed = [(node, weights.get(node.mem_id, 0.0)) for node in wanted]
        return max(weighed, key=lambda found: found[1], default=None)


def weigh_page(body: LexborNode) -> ProseTree:
    tree = ProseTree()
    _list_elements(body, tree)
    _add_up(tree)
    _forget_clutter(tree)
    return tree


def _list_elements(body: LexborNode, tree: ProseTree) -> None:
    waiting = [(body, -1)]
    while waiting:
        node, parent = waiting.pop()
        index = len(tree.nodes)
        tree.nodes.append(node)
        tree.parents.append(parent)
        if node.tag in _LEAVES and not any(child.tag in BLOCKS for child in node.iter()):
            tree.weights.append(_weigh_leaf(node))
            continue
        tree.weights.append(weigh_own_prose(node) if node.tag in BLOCKS else 0.0)
        waiting.extend([(child, index) for child in node.iter() if child.tag not in _INLINE][::-1])


def _weigh_leaf(node: LexborNode) -> float:
    return (thresholds.WEIGHT_OF_AN_ITEM if node.tag in _ITEMS else 1.0) * weigh_prose(node)


def _add_up(tree: ProseTree) -> None:
    for index in range(len(tree.nodes) - 1, 0, -1):
        tree.weights[tree.parents[index]] += tree.weights[index]


def _forget_clutter(tree: ProseTree) -> None:
    """What tags and names call clutter weighs nothing, unless most of the prose is called so."""
    named = {index: names for index in range(1, len(tree.nodes)) if (names := _names_of_clutter(tree, index))}
    misleading = _find_misleading(tree, named)
    lost = [0.0] * len(tree.nodes)
    gone: set[int] = set()
    for index in range(1, len(tree.nodes)):
        if tree.parents[index] in gone:
            gone.add(index)
        elif (
            named.get(index, frozenset()) - misleading
            and tree.weights[index] < thresholds.LARGEST_HINTED_SHARE * tree.total
        ):
            gone.add(index)
            lost[index] = tree.weights[index]
    for index in range(len(tree.nodes) - 1, -1, -1):
        tree.weights[index] = 0.0 if index in gone else tree.weights[index] - lost[index]
        if index:
            lost[tree.parents[index]] += lost[index]


def _names_of_clutter(tree: ProseTree, index: int) -> frozenset[str]:
    if tree.weights[index] <= 0:
        return frozenset()
    node = tree.nodes[index]
    names = find_names(name_of(node)) if node.attributes else frozenset()
    return names | {node.tag} if node.tag in _AROUND else names


def _find_misleading(tree: ProseTree, named: dict[int, frozenset[str]]) -> set[str]:
    borne: Counter[str] = Counter()
    above: dict[int, frozenset[str]] = {}
    for index in range(1, len(tree.nodes)):
        inherited = above.get(tree.parents[index], frozenset())
        own = named.get(index, frozenset())
        for name in own - inherited:
            borne[name] += int(tree.weights[index])
        if own or inherited:
            above[index] = inherited | own if own else inherited
    return {name for name, weight in borne.items() if weight > thresholds.LARGEST_SHARE_OF_A_NAME * tree.total}
