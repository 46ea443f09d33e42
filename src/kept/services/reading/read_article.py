"""The article of a media, for whoever may see it, once it is ready."""

from dataclasses import dataclass
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.domain.account import Viewer
from kept.domain.errors import Conflict
from kept.domain.media import Media
from kept.services.reading.read_media import get_visible_media
from kept.storage import articles
from kept.storage.database.engine import AsyncConnection, Database


@dataclass(frozen=True, slots=True)
class Article:
    media: Media
    fragment_id: UUID
    html: SafeHtml
    canonical_text: str


async def read_article(database: Database, viewer: Viewer, media_id: UUID) -> Article:
    async with database.read() as tx:
        return await get_article(tx, await get_visible_media(tx, viewer, media_id))


async def get_article(tx: AsyncConnection, found: Media) -> Article:
    """For a media the caller has checked. What was stored is checked again: not even a tampered database can put a
    script into a page."""
    fragment = await articles.find_fragment(tx, found.id) if found.is_readable else None
    if fragment is None:
        raise Conflict("This article is not ready for reading.")
    html = SafeHtml.admit(fragment.html_sanitized)
    if html is None:
        raise RuntimeError(f"the fragment of media {found.id} is not the markup that sanitise writes")
    return Article(found, fragment.id, html, fragment.canonical_text)
