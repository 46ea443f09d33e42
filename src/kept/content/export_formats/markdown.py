"""HTML of an article to Markdown in which text stays text."""

import re
from collections.abc import Collection
from typing import Any, Final

from bs4 import BeautifulSoup, Tag
from markdownify import MarkdownConverter

from kept.content.export_formats.markdown_escaping import SPACES, escape_markdown, escape_url

BACKTICKS: Final = re.compile("`+")
# What cannot end the formula, split the cell of a table, or be a tag or a link where formulas are not known.
FORMULA: Final = re.compile(r"(?:[^$<>`|\]]|\](?![(:\[]))++")
LINK_SCHEMES: Final = ("https://", "http://", "mailto:")
CELLS: Final = frozenset({"td", "th"})
ROWS: Final = ("thead", "tbody", "tfoot", "tr")


class ArticleConverter(MarkdownConverter):
    """Converts an article; the library calls its methods for each kind of element.

    The library counts the items before each item of a list, and looks through a table for each of its parts. Here items
    are numbered beforehand, and only a table's first row asks about the table.
    """

    def __init__(self) -> None:
        # `wrap` without a width: the line ends of the source are spaces
        super().__init__(heading_style="ATX", bullets="-", table_infer_header=True, wrap=True, wrap_width=None)

    def convert_soup(self, soup: BeautifulSoup) -> str:
        self._numbers = number_items(soup)
        return str(super().convert_soup(soup))

    def escape(self, text: str, parent_tags: Collection[str]) -> str:
        escaped = escape_markdown(text)
        return escaped.replace("|", "\\|") if CELLS.intersection(parent_tags) else escaped

    def convert_a(self, el: Any, text: str, parent_tags: Collection[str]) -> str:
        href = str(el.get("href") or "")
        if "_noformat" in parent_tags or not text.strip() or not href.startswith(LINK_SCHEMES):
            return text
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        if el.get_text() == href:
            return f"{before}<{escape_url(href)}>{after}"
        return f"{before}[{text.strip()}]({escape_url(href)}){after}"

    def convert_img(self, el: Any, text: str, parent_tags: Collection[str]) -> str:
        alt = self.escape(SPACES.sub(" ", str(el.get("alt") or "")).strip(), parent_tags)
        src = str(el.get("src") or "")
        if "_noformat" in parent_tags or "_inline" in parent_tags or not src.startswith(LINK_SCHEMES):
            return alt
        return f"![{alt}]({escape_url(src)})"

    def convert_math(self, el: Any, text: str, parent_tags: Collection[str]) -> str:
        """Write a formula as its author typed it, between dollar signs; else its characters in a row."""
        tex = SPACES.sub(" ", str(el.get("alttext") or "")).strip()
        if not tex or "_noformat" in parent_tags or not FORMULA.fullmatch(tex):
            return SPACES.sub(" ", text)
        return f"$${tex}$$" if el.get("display") == "block" else f"${tex}$"

    def convert_li(self, el: Tag, text: str, parent_tags: Collection[str]) -> str:
        lines = text.strip().split("\n")
        number = self._numbers.get(id(el))
        bullet = "- " if number is None else f"{number}. "
        indent = " " * len(bullet)
        rest = (f"{indent}{line}" if line else "" for line in lines[1:])
        return "\n".join([f"{bullet}{lines[0]}", *rest, ""]) if lines[0] else "\n"

    def convert_tr(self, el: Tag, text: str, parent_tags: Collection[str]) -> str:
        return str(super().convert_tr(el, text, parent_tags)) if is_first_row(el) else f"|{text}\n"  # type: ignore[misc]

    def convert_video(self, el: Any, text: str, parent_tags: Collection[str]) -> str:
        return text

    def convert_code(self, el: Any, text: str, parent_tags: Collection[str]) -> str:
        return text if "_noformat" in parent_tags else write_code_span(text, parent_tags)

    convert_kbd = convert_samp = convert_code

    def convert_pre(self, el: Any, text: str, parent_tags: Collection[str]) -> str:
        if "_inline" in parent_tags:
            return write_code_span(text, parent_tags)
        fence = choose_fence(text, shortest=3)
        return f"\n\n{fence}\n{text.strip(chr(10))}\n{fence}\n\n" if text.strip() else ""


def number_items(soup: BeautifulSoup) -> dict[int, int]:
    """Return the numbers of all items of numbered lists, by the identity of their elements."""
    numbers = {}
    for numbered in soup.find_all("ol"):
        start = str(numbered.get("start") or "")
        items = (child for child in numbered.children if isinstance(child, Tag) and child.name == "li")
        numbers.update({id(item): at for at, item in enumerate(items, int(start) if start.isdecimal() else 1)})
    return numbers


def is_first_row(row: Tag) -> bool:
    """Return whether a row is the first of its table, which alone is followed by a line of dashes."""
    if row.find_previous_sibling(ROWS) is not None or row.parent is None:
        return False
    return row.parent.name == "table" or row.parent.find_previous_sibling(ROWS) is None


def write_code_span(text: str, parent_tags: Collection[str]) -> str:
    """Write code in one line: a line of it could otherwise begin a block of its own."""
    code = SPACES.sub(" ", text).strip()
    if CELLS.intersection(parent_tags):
        code = code.replace("|", "\\|")
    fence = choose_fence(code, shortest=1)
    padding = " " if "`" in code else ""
    return f"{fence}{padding}{code}{padding}{fence}" if code else ""


def choose_fence(code: str, *, shortest: int) -> str:
    """Return more backticks than are together anywhere in the code."""
    longest = max((len(run) for run in BACKTICKS.findall(code)), default=0)
    return "`" * max(shortest, longest + 1)
