"""Show a person's highlights in the file of an article."""

from collections.abc import Sequence
from dataclasses import replace

from kept.content.article.marking import mark_highlights
from kept.content.export_formats.article_file import ArticleFile
from kept.domain.highlight import Highlight, Mark


def show_highlights(article: ArticleFile, highlights: Sequence[Highlight]) -> ArticleFile:
    """Marks in the text, notes below it."""
    marks = [
        Mark(highlight.id, highlight.span, highlight.colour, highlight.note is not None)
        for highlight in highlights
        if highlight.span is not None
    ]
    return replace(article, html=mark_highlights(article.html, marks), highlights=highlights)
