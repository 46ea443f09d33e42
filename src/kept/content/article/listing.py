"""The rows of a page that is a list: topics of a forum, offers, members, entries of a directory.

Readability weighs sentences, so that of such a page it takes what stands beside the list, or the rows that have
sentences. Where rows alike are most of a page that does not say that it is an article, they are taken: decision 15.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.lists import letters_of
from kept.content.article.page_types import is_dated, says_article
from kept.content.article.prepare.boxes import find_prose_outside, is_prose
from kept.content.article.prune.tree import ancestors, linked_weight, text_of, weigh_text
from kept.content.article.walks import holders, is_inherited, shallow
from kept.content.markup import tags

_ROWS: Final = "tr, li, article, section, div"
# Rows of these are alike whatever they are called: sites name every second one otherwise.
_PLAIN: Final = tags("tr li article")
_BESIDE: Final = tags("nav aside header footer select menu dialog")
_MENUS: Final = "nav, aside, header, footer, select"
_ROOTS: Final = tags("html body")
_TABLE_PARTS: Final = tags("tbody thead tfoot")

# A page with more boxes has its rows among the first.
MOST_BOXES: Final = 5_000
MOST_MENUS: Final = 40
FEWEST_ROWS: Final = 5
# On average, and together: rows of a menu are shorter.
SHORTEST_ROW: Final = 30
LEAST_TEXT: Final = 500
# Of the page's text without menus. Of 351 pages looked at 26 have such rows, 11 of them manuals.
LEAST_SHARE: Final = 0.5
# Some programs write a whole page as a form.
LARGEST_FORM: Final = 0.8
MOST_FORMS: Final = 2  # around one another, which no browser allows but by mistake
# Of the rows' text: a menu is all links, an article among its teasers is one long box among short ones.
LARGEST_LINKED_SHARE: Final = 0.85
LARGEST_ROW: Final = 0.35
# Prose beside the rows, in letters and of their text: with more the page is an article, and the rows are comments.
MOST_PROSE_BESIDE: Final = 1_000
LARGEST_PROSE_BESIDE: Final = 0.4
# Before the rows, with the title.
MOST_PARAGRAPHS: Final = 20
# Of the elements of a row, by tag and class, those that half of the rows have; and of the rows.
LEAST_ALIKE: Final = 0.5
LEAST_ROWS_ALIKE: Final = 0.7
MOST_ELEMENTS: Final = 60
MOST_COMPARED: Final = 60
# What may stand around the rows in the part that is taken, of their text: a heading, the numbers of further pages.
LARGEST_REST: Final = 0.05
HIGHEST: Final = 6
# Of the rows: an answer with more of them has the list.
LEAST_SHARE_FOUND: Final = 0.8
# How much longer than the answer the list must be to take its place.
LEAST_GAIN: Final = 1.5
ROW_START: Final = 40
# So many of the rows tell: to look for one in a long text made for it takes 4 ms.
MOST_LOOKED_FOR: Final = 40
# A page with more text is read as it is: 10 MB of rows took a second.
MOST_TEXT: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows alike, and the part of the page that holds them and little else."""

    part: LexborNode
    rows: list[LexborNode] = field(repr=False)
    introduction: list[str] = field(default_factory=list)
    """What stands with the title, apart from them."""


def find_listing(page: LexborHTMLParser) -> Listing | None:
    if page.body is None or says_article(page) or is_dated(page):
        return None
    weight = weigh_page(page.body)
    if weight > MOST_TEXT:
        return None
    least = max(LEAST_TEXT, int(LEAST_SHARE * weight))
    for rows in find_groups(page.body):
        weights = [weigh_text(text_of(row)) for row in rows]
        if is_list(rows, weights, least) and stands_alone(rows, sum(weights), page.body):
            return Listing(widen(rows[0], sum(weights)), rows, find_introduction(page.body, rows))
    return None


def weigh_page(body: LexborNode) -> int:
    menus = shallow(body.css(_MENUS)[:MOST_MENUS], 0)
    return weigh_text(text_of(body)) - sum(weigh_text(text_of(menu)) for menu in menus)


def find_groups(body: LexborNode) -> list[list[LexborNode]]:
    """Boxes that stand beside each other and are called alike, the inner ones first; not those right in the body."""
    groups: dict[tuple[int, str, str], list[LexborNode]] = defaultdict(list)
    for node in body.css(_ROWS)[:MOST_BOXES]:
        parent = node.parent
        if parent is not None and parent.tag != "body":
            groups[parent.mem_id, node.tag or "", first_name(node)].append(node)
    whole = len(text_of(body))
    forms = {form.mem_id for form in shallow(body.css("form"), MOST_FORMS) if is_form(form, whole)}
    beside = is_inherited(lambda node: node.tag in _BESIDE or node.mem_id in forms)
    found = [rows for rows in groups.values() if len(rows) >= FEWEST_ROWS and not beside.of(rows[0])]
    parents = {parent.mem_id for parent in shallow(rows[0].parent or body for rows in found)}
    return [rows for rows in reversed(found) if (rows[0].parent or body).mem_id in parents]


def is_form(node: LexborNode, whole: int) -> bool:
    return len(text_of(node)) < LARGEST_FORM * whole


def first_name(node: LexborNode) -> str:
    names = (node.attributes.get("class") or "").split(maxsplit=1)
    return names[0] if names and node.tag not in _PLAIN else ""


def is_list(rows: list[LexborNode], weights: list[int], least: int) -> bool:
    total = sum(weights)
    if total < max(least, SHORTEST_ROW * len(rows)) or max(weights) > LARGEST_ROW * total:
        return False
    return sum(map(linked_weight, rows)) <= LARGEST_LINKED_SHARE * total and are_alike(rows)


def are_alike(rows: list[LexborNode]) -> bool:
    kinds = [kinds_in(row) for row in rows[:MOST_COMPARED]]
    borne = Counter(kind for own in kinds for kind in own)
    common = {kind for kind, times in borne.items() if times >= 0.5 * len(kinds)}
    alike = sum(len(own & common) >= LEAST_ALIKE * len(own) for own in kinds if own)
    return alike >= LEAST_ROWS_ALIKE * len(kinds)


def kinds_in(row: LexborNode) -> set[tuple[str, str]]:
    inside = islice(row.traverse(include_text=False), 1, MOST_ELEMENTS)
    return {(node.tag or "", first_name(node)) for node in inside}


def stands_alone(rows: list[LexborNode], total: int, body: LexborNode) -> bool:
    beside = sum(map(weigh_text, find_prose_outside(body, rows)))
    return beside <= min(MOST_PROSE_BESIDE, LARGEST_PROSE_BESIDE * total)


def find_introduction(body: LexborNode, rows: list[LexborNode]) -> list[str]:
    """The prose that stands with the title, in the largest part without the rows."""
    title = body.css_first("h1")
    if title is None:
        return []
    around_rows = holders(rows[:1])
    part = title
    for above in ancestors(title):
        if above.mem_id in around_rows:
            break
        part = above
    return list(map(text_of, filter(is_prose, part.css("p")[:MOST_PARAGRAPHS])))


def widen(row: LexborNode, total: int) -> LexborNode:
    """The largest part around the rows that has little beside them; a table as a whole."""
    around = (node for node in islice(ancestors(row), HIGHEST) if node.tag not in _TABLE_PARTS)
    part = next(around, row)
    for above in around:
        if above.tag in _ROOTS or weigh_text(text_of(above)) > (1 + LARGEST_REST) * total:
            break
        part = above
    return part


def completes_listing(whole: LexborNode, root: LexborNode, listing: Listing) -> bool:
    """Whether an answer is only some of the list, or something shorter that stands beside it."""
    if lacks_rows(whole, listing):
        return False
    if loses_table(root, listing):
        return True
    is_longer = weigh_text(text_of(whole)) >= LEAST_GAIN * weigh_text(text_of(root))
    return is_longer and lacks_rows(root, listing)


def introduces(root: LexborNode, listing: Listing) -> bool:
    """Whether an answer without the rows is what stands with the title."""
    whole = letters_of(root.text()[:MOST_TEXT])
    starts = [letters_of(text)[:ROW_START] for text in listing.introduction]
    return any(start in whole for start in starts) and share_of_rows(whole, listing) == 0


def loses_table(root: LexborNode, listing: Listing) -> bool:
    """Readability makes a box of the body of a table that it takes for the article, and the cells run together."""
    return listing.rows[0].tag == "tr" and root.css_first("tr") is None


def lacks_rows(root: LexborNode, listing: Listing) -> bool:
    return share_of_rows(letters_of(root.text()[:MOST_TEXT]), listing) < LEAST_SHARE_FOUND


def share_of_rows(whole: str, listing: Listing) -> float:
    """How many of the rows a text has."""
    looked_for = listing.rows[:: -(-len(listing.rows) // MOST_LOOKED_FOR)]
    starts = [start for row in looked_for if (start := letters_of(text_of(row))[:ROW_START])]
    return sum(start in whole for start in starts) / max(1, len(starts))
