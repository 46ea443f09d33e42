"""An article with all that a file says of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.content.export_formats.article_file import ArticleFile, EmbeddedImage
from kept.domain.item import Card
from kept.storage.images import ImageAsset


def describe_article(
    card: Card,
    html: SafeHtml,
    text: str,
    shown: Sequence[ImageAsset],
    images: Mapping[UUID, EmbeddedImage],
    kept_at: datetime | None,
) -> ArticleFile:
    media, url = card.media, card.media.canonical_url or card.item.url
    return ArticleFile(
        id=media.id,
        title=card.title or url,
        html=html,
        text=text,
        url=url,
        byline=media.byline,
        site_name=media.site_name,
        lang=media.lang,
        published_at=media.published_at,
        kept_at=kept_at,
        images=images,
        origins={asset.id: asset.origin_url for asset in shown},
    )
