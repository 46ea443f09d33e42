"""What Kept has stored of a page: its article if it is ready, and its images, preview and icon among them."""

from dataclasses import dataclass

from kept.content.article.safe_html import SafeHtml
from kept.domain.media import Media
from kept.logs import structlog
from kept.storage import articles, images
from kept.storage.database.engine import Connection
from kept.storage.images import ImageAsset

log = structlog.get_logger("kept.export")


@dataclass(frozen=True, slots=True)
class StoredPage:
    html: SafeHtml | None
    text: str
    canonical_version: int
    assets: list[ImageAsset]


def read_stored_page(tx: Connection, found: Media) -> StoredPage:
    fragment = articles.find_fragment(tx, found.id) if found.is_readable else None
    assets = images.list_assets(tx, found.id)
    html = SafeHtml.admit(fragment.html_sanitized) if fragment else None
    if fragment is None or html is None:
        if fragment is not None:
            log.error("export.article_not_safe", media_id=str(found.id))
        return StoredPage(None, "", 0, assets)
    return StoredPage(html, fragment.canonical_text, fragment.canonical_version, assets)
