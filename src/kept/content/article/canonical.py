"""An article's plain text, version 1 (docs/decisions/0013): for search, export and highlights.

Highlights are offsets into this text, so whatever changes a single character of it is a new version. `text_map` tells
where each character stands in the markup, by the same walk.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kept.content.article.safe_html import SafeHtml
from kept.content.markup import tags
from kept.domain.text import normalise

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


class Written(NamedTuple):
    """One text node's part of the canonical text, not yet in normal form C."""

    before: str
    """The line breaks and tabs, or the space, between it and what was written last."""
    text: str
    start: int
    """Where the text node begins in the markup."""
    source: str
    """The text node as it stands there, with its escapes."""
    is_preformatted: bool


def canonical_text(html: SafeHtml) -> CanonicalText:
    """The text of a sanitised article; the same markup gives the same text for ever."""
    return CanonicalText(normalise("".join(part for piece in walk_text(html) for part in piece[:2]), "NFC").strip())


def walk_text(html: SafeHtml) -> Iterator[Written]:
    """What each text node contributes, in document order; those that contribute nothing are left out."""
    writer = _Writer()
    for token in _TOKEN.finditer(str(html)):
        closing, tag, text = token.groups()
        if text:
            written = writer.text(text, token.start())
            if written is not None:
                yield written
        elif closing:
            writer.close(tag)
        else:
            writer.open(tag)


@dataclass(slots=True)
class _Row:
    """A table row being written: how many cells it has had, and the tabs that were due when it began."""

    tabs_before: int
    cells: int = 0


@dataclass(slots=True)
class _Writer:
    """Holds back white space until a word follows it, so that none is left over at any edge."""

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

    def text(self, source: str, start: int) -> Written | None:
        text = _unescape(source)
        if self.pre_depth:
            return self._preformatted(text.replace("\r\n", "\n").replace("\r", "\n"), source, start)
        words = " ".join(text.split())
        self.space = self.space or text[0].isspace()
        if not words:
            return None
        written = self._write(words, source, start)
        self.space = text[-1].isspace()
        return written

    def _preformatted(self, text: str, source: str, start: int) -> Written | None:
        body = text.lstrip("\n")
        self._break(self.newlines + len(text) - len(body))
        kept = body.rstrip("\n")
        if not kept:
            return None
        written = self._write(_MANY_NEWLINES.sub("\n\n", kept), source, start)
        self._break(len(body) - len(kept))
        return written

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

    def _write(self, text: str, source: str, start: int) -> Written:
        breaks = "\n" * self.newlines + "\t" * self.tabs
        before = breaks or (" " if self.space else "")
        self.newlines, self.tabs, self.space, self.in_fresh_cell = 0, 0, False, False
        return Written(before, text, start, source, self.pre_depth > 0)


def _unescape(text: str) -> str:
    """The four escapes that `rewrite` makes, undone; the ampersand last, or "&amp;lt;" would become "<"."""
    if "&" not in text:
        return text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\xa0").replace("&amp;", "&")
