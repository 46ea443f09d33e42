"""The article of a media, for whoever may see it, once it is ready."""

from dataclasses import replace
from uuid import UUID

from kept.domain.account import Viewer
from kept.services.highlights.anchoring import mark_article
from kept.services.pages.cards import ReadableArticle, get_article, get_visible_media
from kept.storage import highlights
from kept.storage.database.engine import Connection


def read_article(tx: Connection, viewer: Viewer, media_id: UUID, *, with_highlights: bool = False) -> ReadableArticle:
    """`with_highlights`: those of the viewer are marked in it."""
    found = get_visible_media(tx, viewer, media_id)
    article = get_article(tx, found)
    if not with_highlights:
        return article
    marks = highlights.summarise(tx, viewer.user_id, found.id).marks
    return replace(article, html=mark_article(article.fragment_id, marks, lambda: article.html))
