"""An article's plain text, version 1 (docs/decisions/0033): for search, export and later highlights.

Highlights will be offsets into this text, so whatever changes a single character of it is a new version.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from kept.content.article.safe_html import SafeHtml
from kept.content.article.tag_names import tags
from kept.domain.unicode_forms import normalise

CANONICAL_VERSION: Final = 1

# How many newlines stand between an element and what comes before and after it.
_SET_OFF: Final = tags("p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre figure table")
_OWN_LINE: Final = tags("li dt dd figcaption caption tr hr div section details summary")
_BREAKS: Final = dict.fromkeys(_SET_OFF, 2) | dict.fromkeys(_OWN_LINE, 1)
# `SafeHtml` has no < or > but around its tags, so this finds exactly them.
_TOKEN: Final = re.compile(r"<(/?)([a-z0-9]++)[^<>]*+>|([^<]++)")
_MANY_NEWLINES: Final = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class CanonicalText:
    """Text that keeps the canonical form's promises; a text that does not cannot be one."""

    text: str
    version: int = CANONICAL_VERSION

    def __post_init__(self) -> None:
        if self.text != self.text.strip() or "\n\n\n" in self.text:
            raise ValueError("canonical text has no white space at its ends and never three newlines in a row")
        if normalise(self.text, "NFC") != self.text:
            raise ValueError("canonical text is in Unicode's normal form C")

    def __str__(self) -> str:
        return self.text


def canonical_text(html: SafeHtml) -> CanonicalText:
    """The text of a sanitised article; the same markup gives the same text for ever."""
    writer = _Writer()
    for closing, tag, text in _TOKEN.findall(str(html)):
        if text:
            writer.text(_unescape(text))
        elif closing:
            writer.close(tag)
        else:
            writer.open(tag)
    return CanonicalText(normalise("".join(writer.out), "NFC").strip())


@dataclass(slots=True)
class _Row:
    """A table row being written: how many cells it has had, and the tabs that were due when it began."""

    tabs_before: int
    cells: int = 0


@dataclass(slots=True)
class _Writer:
    """Holds back white space until a word follows it, so that none is left over at any edge."""

    out: list[str] = field(default_factory=list)
    newlines: int = 0
    tabs: int = 0
    space: bool = False
    pre_depth: int = 0
    in_fresh_cell: bool = False
    rows: list[_Row] = field(default_factory=list)

    def open(self, tag: str) -> None:
        if tag == "br":
            self._break(self.newlines + 1)
        elif tag in ("td", "th"):
            self._open_cell()
        else:
            self._break(_BREAKS.get(tag, 0))
        if tag == "pre":
            self.pre_depth += 1
        elif tag == "tr":
            self.rows.append(_Row(self.tabs))

    def close(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._close_cell()
        elif tag == "pre":
            self.pre_depth -= 1
        elif tag == "tr" and self.rows:
            # Cells at a row's end that hold nothing leave no tabs behind.
            self.tabs = self.rows.pop().tabs_before
        self._break(_BREAKS.get(tag, 0))

    def text(self, text: str) -> None:
        if self.pre_depth:
            self._preformatted(text.replace("\r\n", "\n").replace("\r", "\n"))
            return
        words = " ".join(text.split())
        self.space = self.space or text[0].isspace()
        if words:
            self._write(words)
            self.space = text[-1].isspace()

    def _preformatted(self, text: str) -> None:
        body = text.lstrip("\n")
        self._break(self.newlines + len(text) - len(body))
        kept = body.rstrip("\n")
        if kept:
            self._write(_MANY_NEWLINES.sub("\n\n", kept))
            self._break(len(body) - len(kept))

    def _open_cell(self) -> None:
        if self.rows:
            self.rows[-1].cells += 1
            self.tabs += self.rows[-1].cells > 1
        self.in_fresh_cell = True

    def _close_cell(self) -> None:
        """Breaks at a cell's end go; the one that began the row stays while the row has no word."""
        if not self.in_fresh_cell:
            self.newlines = 0
        self.space, self.in_fresh_cell = False, False

    def _break(self, newlines: int) -> None:
        if newlines and not self.in_fresh_cell:
            self.newlines = max(self.newlines, min(newlines, 2))
            self.space = False

    def _write(self, text: str) -> None:
        breaks = "\n" * self.newlines + "\t" * self.tabs
        self.out.append(breaks or (" " if self.space else ""))
        self.out.append(text)
        self.newlines, self.tabs, self.space, self.in_fresh_cell = 0, 0, False, False


def _unescape(text: str) -> str:
    """The four escapes that `rewrite` makes, undone; the ampersand last, or "&amp;lt;" would become "<"."""
    if "&" not in text:
        return text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\xa0").replace("&amp;", "&")
