"""An article with somebody's highlights marked in it, for pages, files and the API."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from kept.content.article.marking import Mark, mark_highlights
from kept.content.article.safe_html import SafeHtml
from kept.domain.highlight import Highlight

# Marking a long article takes tens of milliseconds, and whoever marks one asks for it again after each highlight. The
# last few are kept, of a size that most articles have: some ten megabytes at most.
KEPT_ARTICLES: Final = 8
MOST_CHARACTERS: Final = 500_000


def mark_article(html: SafeHtml, found: Sequence[Highlight]) -> SafeHtml:
    """Those that have no place in this copy are not in it."""
    marks = tuple(
        Mark(highlight.id, highlight.span, highlight.colour, highlight.note is not None)
        for highlight in found
        if highlight.span is not None
    )
    if not marks:
        return html
    return _mark_again(html, marks) if len(str(html)) <= MOST_CHARACTERS else mark_highlights(html, marks)


_mark_again: Final = lru_cache(KEPT_ARTICLES)(mark_highlights)
