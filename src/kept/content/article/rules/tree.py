"""What the rules see of a tree: blocks, their text, how much of it is links; and how to remove."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.image_sources import list_sizes
from kept.content.article.rules import thresholds
from kept.content.article.rules.walks import holders, is_inherited, shallow
from kept.content.markup import tags

HEADINGS: Final = tags("h1 h2 h3 h4 h5 h6")
BLOCKS: Final = HEADINGS | tags(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form"
    " header hgroup hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
HEADING: Final = "h1, h2, h3, h4, h5, h6"

# What a reader came for: no rule removes these, nor anything inside them, whatever stands around.
PROTECTED: Final = "figure, figcaption, pre, code, table, blockquote, q, dl, math"
PROTECTED_TAGS: Final = frozenset(PROTECTED.split(", "))
_NOTES: Final = re.compile(r"-(?:(?:foot|end)-?notes?|references?|ref-?list|citations?|bibliography|fn)-")

_ICON: Final = re.compile(r"avatar|author|\bbio|logo|icon|emoji|badge|profile|headshot|portrait")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Han, kana and Hangul: one says as much as three letters.
DENSE: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_DENSE: Final = re.compile(f"[{DENSE}]")
# At the beginning of what stands between hyphens, and not in a number of base 16: "3ad91f7" is no advertisement.
_WORD: Final = re.compile(r"(?<![a-z0-9])(?!(?=[a-f]*\d)[0-9a-f]{6,40}(?![a-z0-9]))[a-z]+")


@dataclass(frozen=True, slots=True)
class Block:
    """An element that holds text and no further block."""

    node: LexborNode
    text: str

    @property
    def link_share(self) -> float:
        return linked_length(self.node) / max(1, len(self.text))

    @property
    def is_heading(self) -> bool:
        return self.node.tag in HEADINGS


def text_of(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ").split())


def weigh_text(text: str) -> int:
    """How much a text says, in letters of Latin."""
    return len(text) if text.isascii() else len(text) + 2 * len(_DENSE.findall(text))


def short_text(node: LexborNode, longest: int) -> str | None:
    """A node's text, or None if it is longer; costs no more for a page than for a paragraph."""
    pieces: list[str] = []
    left = longest + 1
    for count, inner in enumerate(node.traverse(include_text=True)):
        if count > longest + thresholds.MOST_EMPTY_NODES:
            return None
        if inner.is_text_node and (words := inner.text().split()):
            pieces.extend(words)
            left -= sum(map(len, words)) + len(words)
            if left < 0:
                return None
    return " ".join(pieces)


def linked_length(node: LexborNode) -> int:
    """How many characters of a node's text are links."""
    if node.tag == "a":
        return len(text_of(node))
    return sum(len(text_of(link)) for link in node.css("a[href]"))


def link_share(node: LexborNode) -> float:
    return linked_length(node) / max(1, len(text_of(node)))


def hint_of(node: LexborNode) -> str:
    """What the page's author calls this element; an id that only spells a heading does not count."""
    own = node.attributes
    identity = own.get("id") or ""
    return spell(own.get("class") or "", identity if identity and not is_heading_slug(identity, node) else "")


def name_of(node: LexborNode) -> str:
    """The words of class and id, whatever they stand for."""
    own = node.attributes
    return spell(own.get("class") or "", own.get("id") or "")


def spell(classes: str, identity: str) -> str:
    """As `-one-two- -three-`, so that a pattern can ask for whole words."""
    names = [*classes.split(), *identity.split()]
    return " ".join(_spell_name(name[: thresholds.LONGEST_NAME]) for name in names)


@lru_cache(maxsize=2048)
def _spell_name(name: str) -> str:
    """Less than half of the names on a page are new."""
    return f"-{'-'.join(_WORD.findall(_CAMEL.sub(' ', name).lower()))}-"


def is_heading_slug(identity: str, node: LexborNode) -> bool:
    """Many generators name a section after its heading: then the id is text, not a description."""
    spelled = _WORD.findall(identity.lower())
    if node.tag in HEADINGS or node.tag == "span" or len(spelled) > thresholds.MOST_SLUG_WORDS:
        return True
    heading = node.css_first(HEADING)
    return heading is not None and _WORD.findall(text_of(heading).lower())[: len(spelled)] == spelled


def elements(root: LexborNode) -> list[LexborNode]:
    """Every element below the root, in document order."""
    return [node for node in root.traverse(include_text=False) if node.mem_id != root.mem_id]


def leaf_nodes(root: LexborNode) -> list[LexborNode]:
    """Every block without a block inside, in document order."""
    blocks = [node for node in root.traverse(include_text=False) if node.tag in BLOCKS]
    around: set[int] = set()
    for node in blocks:
        above = node.parent
        while above is not None and above.mem_id not in around:
            around.add(above.mem_id)
            above = above.parent if above.tag not in BLOCKS else None
    return [node for node in blocks if node.mem_id not in around]


def first_blocks(root: LexborNode) -> Iterator[Block]:
    """The same, for those who need only some: the rest of the tree is not looked at."""
    return map(as_block, filter(is_leaf_block, root.traverse(include_text=False)))


def leaf_blocks(root: LexborNode) -> Iterator[Block]:
    return map(as_block, leaf_nodes(root))


def as_block(node: LexborNode) -> Block:
    return Block(node, text_of(node))


def is_leaf_block(node: LexborNode) -> bool:
    return node.tag in BLOCKS and not any(child.tag in BLOCKS for child in node.iter())


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def outermost(nodes: Iterable[LexborNode]) -> list[LexborNode]:
    """Each node once and in none of the others, in the order they come: lexbor frees a node's children with it."""
    return shallow(nodes, deepest=0)


def next_element(node: LexborNode) -> LexborNode | None:
    """The next sibling, unless text of the parent's own comes before it."""
    following = node.next
    while following is not None and not following.is_element_node:
        if following.is_text_node and following.text().strip():
            return None
        following = following.next
    return following


def previous_element(node: LexborNode) -> LexborNode | None:
    before = node.prev
    while before is not None and not before.is_element_node:
        before = before.prev
    return before


def is_note(node: LexborNode) -> bool:
    role = node.attributes.get("role") or ""
    return role.startswith("doc-") or _NOTES.search(name_of(node)) is not None


def is_shield(node: LexborNode) -> bool:
    return node.tag in PROTECTED_TAGS or (node.is_element_node and (is_note(node) or is_own_image(node)))


def is_own_image(node: LexborNode) -> bool:
    """An image that is no icon or portrait and leads nowhere belongs to the article, whatever it is wrapped in."""
    if node.tag != "img":
        return False
    if any(pixels is not None and pixels < thresholds.SMALLEST_IMAGE for pixels in list_sizes(node)):
        return False
    around = (node, *islice(ancestors(node), 3))
    named = " ".join((node.attributes.get("src") or "", *map(name_of, around)))
    return not _ICON.search(named.lower()) and not any(
        above.tag == "a" for above in islice(ancestors(node), thresholds.HIGHEST)
    )


def find_protected(node: LexborNode) -> Iterator[LexborNode]:
    if node.is_element_node:
        yield from node.css(PROTECTED)
        yield from filter(is_note, node.css("[class], [role]"))
        yield from filter(is_own_image, node.css("img"))


def remove(nodes: Iterable[LexborNode]) -> None:
    """Remove the nodes, except those that are, hold or stand in something protected."""
    for node in removable(nodes):
        if next(find_protected(node), None) is None:
            node.decompose()


def remove_around(nodes: Iterable[LexborNode]) -> None:
    """Remove the nodes, but leave standing what is protected inside them."""
    for node in removable(nodes):
        for piece in removable_pieces(node):
            piece.decompose()


def removable(nodes: Iterable[LexborNode]) -> list[LexborNode]:
    """Last first: lexbor frees a node's children with it, and they may be listed too."""
    protected = is_inherited(is_shield)
    return [node for node in reversed(list(nodes)) if not protected.of(node)]


def removable_pieces(node: LexborNode) -> list[LexborNode]:
    around = holders(find_protected(node))
    pieces: list[LexborNode] = []
    waiting = [node]
    while waiting:
        piece = waiting.pop()
        if is_shield(piece):
            continue
        if piece.mem_id in around:
            waiting.extend(piece.iter(include_text=True))
        else:
            pieces.append(piece)
    return pieces


def remove_all(nodes: Iterable[LexborNode]) -> None:
    """Remove the nodes, whatever is in them."""
    for node in outermost(nodes):
        node.decompose()
