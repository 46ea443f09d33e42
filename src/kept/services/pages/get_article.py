"""Get the article of a media. For a media the caller has checked."""

from dataclasses import dataclass
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.domain.errors import Conflict
from kept.domain.media import Media
from kept.storage import articles
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class ReadableArticle:
    media: Media
    fragment_id: UUID
    html: SafeHtml
    canonical_text: str


def get_article(tx: Connection, found: Media) -> ReadableArticle:
    """What was stored is checked again: not even a tampered database can put a script into a page."""
    fragment = articles.find_fragment(tx, found.id) if found.is_readable else None
    if fragment is None:
        raise Conflict("This article is not ready for reading.")
    html = SafeHtml.admit(fragment.html_sanitized)
    if html is None:
        raise RuntimeError(f"the fragment of media {found.id} is not the markup that sanitise writes")
    return ReadableArticle(found, fragment.id, html, fragment.canonical_text)
