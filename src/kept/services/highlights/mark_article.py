"""An article with somebody's highlights marked in it, for pages, files and the API."""

from collections.abc import Sequence

from kept.content.article.marking import Mark, mark_highlights
from kept.content.article.safe_html import SafeHtml
from kept.domain.highlight import Highlight


def mark_article(html: SafeHtml, found: Sequence[Highlight]) -> SafeHtml:
    """Those that have no place in this copy are not in it."""
    marks = [
        Mark(highlight.id, highlight.span, highlight.colour, highlight.note is not None)
        for highlight in found
        if highlight.span is not None
    ]
    return mark_highlights(html, marks) if marks else html
