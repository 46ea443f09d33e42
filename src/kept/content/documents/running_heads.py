"""Headers and footers: lines at the edge of pages that repeat on most of them, but for numbers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kept.content.documents.pdf_lines import Line

# Of a page's height, from the top and from the bottom.
EDGE: Final = 0.12
# Of all pages: books have one line on their left pages and another on the right ones.
MOST_PAGES: Final = 0.4
FEWEST_PAGES: Final = 3
MAX_CHARACTERS: Final = 20_000
MAX_LINES: Final = 500
_NUMBER: Final = re.compile(r"\d++|\b[ivxlc]++\b")
_GRID: Final = 3.0


@dataclass(frozen=True, slots=True)
class PageLines:
    lines: list[Line]
    bottom: float
    top: float

    def is_at_edge(self, line: Line) -> bool:
        margin = EDGE * (self.top - self.bottom)
        return line.bottom > self.top - margin or line.top < self.bottom + margin


def take_out_running_heads(pages: Sequence[PageLines]) -> tuple[list[list[Line]], str]:
    """The lines of each page without them; and their text, each different line once."""
    keys = [{_key(line) for line in page.lines if page.is_at_edge(line)} for page in pages]
    counted = Counter(key for found in keys for key in found)
    least = max(FEWEST_PAGES, MOST_PAGES * len(pages))
    repeated = {key for key, count in counted.items() if count >= least}
    kept = [[line for line in page.lines if not _is_repeated(page, line, repeated)] for page in pages]
    taken = (line.text for page in pages for line in page.lines if _is_repeated(page, line, repeated))
    return kept, _write_once(taken)


def _is_repeated(page: PageLines, line: Line, repeated: set[tuple[str, int]]) -> bool:
    return bool(repeated) and page.is_at_edge(line) and _key(line) in repeated


def _key(line: Line) -> tuple[str, int]:
    return _NUMBER.sub("#", line.text), round(line.bottom / _GRID)


def _write_once(texts: Iterator[str]) -> str:
    """Numbers of pages are nothing to search for."""
    written: dict[str, str] = {}
    for text in texts:
        key = _NUMBER.sub("#", text)
        if key.strip("# -–—/|") and len(written) < MAX_LINES:
            written.setdefault(key, text)
    return "\n".join(written.values())[:MAX_CHARACTERS]
