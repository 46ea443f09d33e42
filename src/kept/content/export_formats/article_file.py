"""An article as it leaves Kept in a file: what `html_file`, `epub_file` and `text_file` share."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import Final
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.content.images.format import ImageFormat

_IMAGE: Final = re.compile(r'<img src="/api/images/([0-9a-f-]{36})"([^<>]*+)>')
_ALT: Final = re.compile(r' alt="([^"]*)"')


@dataclass(frozen=True, slots=True)
class EmbeddedImage:
    data: bytes = field(repr=False)
    kind: ImageFormat


@dataclass(frozen=True, slots=True)
class ArticleFile:
    """The article, with its images where they can be had and their URLs where not."""

    id: UUID
    title: str
    html: SafeHtml
    text: str
    url: str | None = None
    byline: str | None = None
    site_name: str | None = None
    lang: str | None = None
    published_at: datetime | None = None
    kept_at: datetime | None = None
    images: Mapping[UUID, EmbeddedImage] = field(default_factory=dict)
    origins: Mapping[UUID, str] = field(default_factory=dict)

    @property
    def credits(self) -> list[str]:
        """Who wrote it, where, when: one line each where known."""
        source = " · ".join(part for part in (self.byline, self.site_name) if part)
        dates = [("Published", self.published_at), ("Kept", self.kept_at)]
        return [line for line in (source, *(f"{word} {day.day} {day:%B %Y}" for word, day in dates if day)) if line]


def list_images(html: SafeHtml) -> list[UUID]:
    """In the order in which they stand in the article, each once."""
    return list(dict.fromkeys(UUID(found[1]) for found in _IMAGE.finditer(str(html))))


def place_images(article: ArticleFile, source_of: Callable[[UUID, EmbeddedImage], str]) -> str:
    """The article's markup with `source_of` each image; one that could not be had becomes a link to where it was."""

    def place(found: re.Match[str]) -> str:
        image_id, attributes = UUID(found[1]), found[2]
        image = article.images.get(image_id)
        if image is not None:
            return f'<img src="{source_of(image_id, image)}"{attributes}>'
        alt = _ALT.search(attributes)
        words = (alt[1] if alt else "") or "Image"
        origin = article.origins.get(image_id)
        return f'<a href="{escape(origin)}">{words}</a>' if origin else words

    return _IMAGE.sub(place, str(article.html))


def place_origins(article: ArticleFile) -> str:
    """The article's markup with its images where they came from; what has no known origin goes."""

    def place(found: re.Match[str]) -> str:
        origin = article.origins.get(UUID(found[1]))
        return f'<img src="{escape(origin)}"{found[2]}>' if origin else ""

    return _IMAGE.sub(place, str(article.html))
