"""Removes calendars, and tables that a site shows beside its articles: prices, results, standings."""

import re
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from kept.content.article.prepare.boxes import (
    is_prose,
    leaves_article,
    remove_all,
    stands_in_flow,
    stands_in_own_article,
    widen,
)
from kept.content.article.prune.teasers import leads_within
from kept.content.article.prune.tree import ancestors, name_of, next_element, previous_element, short_text, text_of
from kept.content.article.walks import shallow

MOST_TABLES: Final = 30
# A heading or a caption beside the table.
LONGEST_CAPTION: Final = 80
LONGEST_TABLE: Final = 5_000

# The days of a month, and the last and first ones of its neighbours.
FEWEST_DAYS: Final = 28
MOST_DAYS: Final = 45
LAST_DAY: Final = 31
LONGEST_DAY: Final = 100

SHORTEST_LIVE: Final = 8
LEAST_LINKED: Final = 0.7
LEAST_FIGURES: Final = 0.4
MOST_CELLS: Final = 200
LONGEST_CELL: Final = 500
_LIVE: Final = re.compile(
    r"-(?:ticker|live-?(?:scores?|results?|prices?|table|data)|score-?board|score-?card|fixtures|standings"
    r"|league-?table|market-?(?:data|watch|overview|summary)|stock-?(?:quotes?|ticker|table)|watch-?list|odds"
    r"|calendar|date-?picker|event-?(?:list|calendar))-"
)
_FIGURE: Final = re.compile(r"\d")
MOST_BESIDE: Final = 20
HIGHEST: Final = 4


Step = Callable[[LexborNode], LexborNode | None]


def remove_live_tables(body: LexborNode, url: str) -> None:
    host = urlsplit(url).hostname or ""
    tables = [table for table in shallow(body.css("table")[:MOST_TABLES]) if is_calendar(table) or is_live(table, host)]
    boxes = list(map(frame_of, tables))
    if boxes and leaves_article(body, boxes):
        remove_all(boxes)


def frame_of(table: LexborNode) -> LexborNode:
    """The table and what stands around nothing else."""
    return widen(table, min(len(text_of(table)), LONGEST_TABLE) + LONGEST_CAPTION)


def is_calendar(table: LexborNode) -> bool:
    """Cells that count the days of a month, and nothing else."""
    cells = [short_text(cell, LONGEST_DAY) for cell in islice(table.css("td"), MOST_DAYS)]
    written = [cell for cell in cells if cell != ""]
    days = [int(cell) for cell in written if cell is not None and cell.isdecimal() and len(cell) < 3]
    if len(days) < FEWEST_DAYS or len(days) < 0.9 * len(written) or max(days) > LAST_DAY:
        return False
    return sum(after == before + 1 for before, after in pairwise(days)) >= 0.9 * (len(days) - 1)


def is_live(table: LexborNode, host: str) -> bool:
    rows = table.css("tr")
    if len(rows) < SHORTEST_LIVE:
        return False
    is_named = any(_LIVE.search(name_of(node)) for node in (table, *islice(ancestors(table), HIGHEST)))
    if not is_named and (stands_in_own_article(table) or not is_linked(rows, host) or not has_figures(table)):
        return False
    return stands_beside(frame_of(table))


def is_linked(rows: list[LexborNode], host: str) -> bool:
    """Whether most rows lead to a page of the site."""
    links = [row.css_first("a[href]") for row in islice(rows, 100)]
    leading = sum(link is not None and leads_within(link.attributes.get("href") or "", host) for link in links)
    return leading >= LEAST_LINKED * len(links)


def has_figures(table: LexborNode) -> bool:
    cells = [short_text(cell, LONGEST_CELL) or "" for cell in islice(table.css("td"), MOST_CELLS)]
    return sum(_FIGURE.search(cell) is not None for cell in cells) >= LEAST_FIGURES * len(cells)


def stands_beside(box: LexborNode) -> bool:
    """Neither between the paragraphs of an article, nor with prose before and after it."""
    if stands_in_flow(box):
        return False
    return not (
        any(map(holds_prose, following(box, previous_element))) and any(map(holds_prose, following(box, next_element)))
    )


def holds_prose(node: LexborNode) -> bool:
    return any(map(is_prose, islice(node.css("p"), MOST_BESIDE)))


def following(node: LexborNode, step: Step) -> Iterator[LexborNode]:
    """The elements beside a node, on one side of it."""
    beside = step(node)
    for _ in range(MOST_BESIDE):
        if beside is None:
            return
        yield beside
        beside = step(beside)
