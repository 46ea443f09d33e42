"""Show a person's highlights in the file of an article."""

from collections.abc import Sequence
from dataclasses import replace

from kept.content.export_formats.article_file import ArticleFile
from kept.domain.highlight import Highlight
from kept.services.highlights.mark_article import mark_article


def show_highlights(article: ArticleFile, highlights: Sequence[Highlight]) -> ArticleFile:
    """Marks in the text, notes below it."""
    return replace(article, html=mark_article(article.html, highlights), highlights=highlights)
