"""Before Readability: removes boxes that would mislead it, and unwraps what it would remove with its box."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.evidence import NAMED_COMMENTS, are_comments, leaves_article, widen
from kept.content.article.rules.facts import PageFacts
from kept.content.article.rules.tree import linked_length, remove_all, text_of
from kept.content.article.rules.walks import shallow
from kept.content.markup import tags

_FIELDS: Final = 'input[type="email" i], input[name*="mail" i], input[placeholder*="mail" i]'
_WRAPPERS: Final = tags("div section aside center span")
_MARKS: Final = "\"'“”„«»‘’ "


def remove_comments(body: LexborNode, _page: PageFacts) -> None:
    """Often more than the article itself. Not where the page is a discussion: then there is no article beside."""
    boxes = list(filter(are_comments, shallow(body.css(NAMED_COMMENTS)[: thresholds.MOST_BOXES])))
    if boxes and leaves_article(body, boxes):
        remove_all(boxes)


def remove_sign_up_boxes(body: LexborNode, _page: PageFacts) -> None:
    """Readability removes the form that asks for an e-mail address, and leaves the words around it."""
    boxes = [widen(field, thresholds.LONGEST_SIGN_UP) for field in body.css(_FIELDS)[: thresholds.MOST_NEAR]]
    if boxes and leaves_article(body, boxes):
        remove_all(boxes)


def remove_menu_cells(body: LexborNode, _page: PageFacts) -> None:
    """Menus in a cell of the table that an old page is laid out by: after Readability nothing in a table is removed."""
    tables = shallow(body.css("table")[: thresholds.MOST_LOOKED_THROUGH])
    least = max(thresholds.LEAST_PROSE, thresholds.LEAST_SHARE_OF_CELL * len(text_of(body))) if tables else 0
    remove_all(cell for table in tables for row in rows_of(table) for cell in menus_in(row, least))


def rows_of(table: LexborNode) -> list[LexborNode]:
    parts = [table, *(child for child in islice(table.iter(), thresholds.MOST_NEAR) if child.tag in {"tbody", "thead"})]
    return [row for part in parts for row in islice(part.iter(), thresholds.MOST_NEAR) if row.tag == "tr"]


def menus_in(row: LexborNode, least: float) -> list[LexborNode]:
    cells = [(cell, len(text_of(cell))) for cell in islice(row.iter(), thresholds.MOST_NEAR)]
    longest = max((length for _, length in cells), default=0)
    if len(cells) < 2 or longest < least:
        return []
    return [cell for cell, length in cells if length < longest and is_menu(cell, length)]


def is_menu(cell: LexborNode, length: int) -> bool:
    return (
        len(cell.css("a[href]")) >= thresholds.FEWEST_MENU_LINKS
        and linked_length(cell) >= thresholds.MOSTLY_LINKED * length
    )


def unwrap_quotations(body: LexborNode, _page: PageFacts) -> None:
    """Embedded posts, whose wrappers Readability removes for the links in them; not pull quotes, which repeat."""
    quotations = shallow(body.css("blockquote")[: thresholds.MOST_BOXES])
    wrapped = [(node, wrappers) for node in quotations if (wrappers := list(find_wrappers(node)))]
    whole = text_of(body) if wrapped else ""
    for quotation, wrappers in wrapped:
        if quotation.css_first("a[href]") is not None or not is_repeated(quotation, whole):
            for wrapper in wrappers:
                wrapper.unwrap()


def is_repeated(quotation: LexborNode, whole: str) -> bool:
    beginning = text_of(quotation).strip(_MARKS)[: thresholds.BLOCK_START]
    return whole.count(beginning) > 1 if beginning else True


def find_wrappers(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    for _ in range(thresholds.HIGHEST):
        if above is None or above.tag not in _WRAPPERS or not holds_one_element(above):
            return
        yield above
        above = above.parent


def holds_one_element(node: LexborNode) -> bool:
    """And neither text nor anything that shows beside it."""
    children = list(islice(node.iter(include_text=True), thresholds.MOST_NEAR + 1))
    if len(children) > thresholds.MOST_NEAR or any(child.is_text_node and child.text().strip() for child in children):
        return False
    return sum(child.is_element_node and child.first_child is not None for child in children) == 1
