"""Makes sections of the products in a list: Readability judges boxes one by one, and drops some for links or names."""

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.prune.tree import HEADING, ancestors, linked_length, outermost, text_of
from kept.content.article.prune.vocabulary import PRICE
from kept.content.article.walks import shallow
from kept.content.markup import tags

_BOX_TAG: Final = re.compile(r"<(/?)(?:div|aside)(?=[\s>])")
_WRAPPERS: Final = tags("div aside section")
FEWEST_PRODUCTS: Final = 4
# Of boxes alike: readers name prices too, but seldom in most of their comments.
LEAST_PRICED: Final = 0.6
MOST_PRICES: Final = 500
HIGHEST: Final = 6
MOST_BESIDE: Final = 1_000
# Beside links, a product of an article has a text; what a shop shows beside its products has none.
SHORTEST_TEXT: Final = 60


def make_products_sections(body: LexborNode) -> None:
    if len(list(islice(PRICE.finditer(body.text()), FEWEST_PRODUCTS))) < FEWEST_PRODUCTS:
        return
    for product in outermost(find_products(body)):
        section = as_section(product)
        if section is not None:
            product.replace_with(section)


def as_section(product: LexborNode) -> LexborNode | None:
    """The same with `section` for each box, which Readability removes for nothing but its names."""
    body = LexborHTMLParser(_BOX_TAG.sub(r"<\1section", product.html or "")).body
    for section in body.css("section") if body is not None else ():
        for name in ("class", "id"):
            if name in section.attributes:
                del section.attrs[name]
    return body.first_child if body is not None else None


def find_products(body: LexborNode) -> list[LexborNode]:
    """Of a row of boxes alike, most must have a heading, a text and a price."""
    rows: dict[int, Row] = {}
    found: dict[int, LexborNode] = {}
    prices = (node for node in body.traverse(include_text=True) if node.is_text_node and PRICE.search(node.text()))
    for price in islice(prices, MOST_PRICES):
        product = next((above for above in islice(ancestors(price), HIGHEST) if is_one_of_many(above, rows)), None)
        if product is not None:
            found[product.mem_id] = product
    for product in filter(is_described, shallow(found.values())):
        if product.parent is not None:
            rows[product.parent.mem_id].products[product.mem_id] = product
    return [product for row in rows.values() for product in row.list_products()]


@dataclass(frozen=True, slots=True)
class Row:
    """The elements of one parent: how many there are of each sort, and which are products."""

    sorts: Counter[tuple[str, str]]
    products: dict[int, LexborNode] = field(default_factory=dict)

    def list_products(self) -> list[LexborNode]:
        priced = Counter(map(sort_of, self.products.values()))
        return [node for node in self.products.values() if self._is_enough(priced, sort_of(node))]

    def _is_enough(self, priced: Counter[tuple[str, str]], sort: tuple[str, str]) -> bool:
        return priced[sort] >= max(FEWEST_PRODUCTS, LEAST_PRICED * self.sorts[sort])


def is_one_of_many(node: LexborNode, rows: dict[int, Row]) -> bool:
    parent = node.parent
    if node.tag not in _WRAPPERS or parent is None:
        return False
    if parent.mem_id not in rows:
        rows[parent.mem_id] = Row(Counter(map(sort_of, islice(parent.iter(), MOST_BESIDE))))
    return rows[parent.mem_id].sorts[sort_of(node)] >= FEWEST_PRODUCTS


def sort_of(node: LexborNode) -> tuple[str, str]:
    return node.tag or "", (node.attributes.get("class") or "").strip()


def is_described(node: LexborNode) -> bool:
    return node.css_first(HEADING) is not None and len(text_of(node)) - linked_length(node) >= SHORTEST_TEXT
