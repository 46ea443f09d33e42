"""What the tools answer with: small values that a model can read. Pure."""

from typing import Final

from pydantic import BaseModel

from kept.content.markup import decode_entities
from kept.domain.highlight import Highlight
from kept.domain.item import Card

MAX_EXCERPT: Final = 500


class ArticleOut(BaseModel):
    """A saved page."""

    id: str
    title: str
    url: str
    site: str | None
    byline: str | None
    saved_at: str
    tags: list[str]
    excerpt: str | None
    note: str | None
    reading_minutes: int | None
    is_readable: bool
    is_favourite: bool
    is_archived: bool
    is_read: bool
    passage: str | None = None
    """The passage that a search found."""


class ArticleListOut(BaseModel):
    articles: list[ArticleOut]
    next_cursor: str | None
    """Pass it as `cursor` for more; null if there is no more."""


class ArticleTextOut(BaseModel):
    id: str
    title: str
    url: str
    page: int
    pages: int
    markdown: str


class HighlightOut(BaseModel):
    id: str
    article_id: str | None
    title: str | None
    quote: str
    note: str | None
    colour: str
    created_at: str


class HighlightListOut(BaseModel):
    highlights: list[HighlightOut]
    next_cursor: str | None


def describe_card(card: Card, passage: str | None = None) -> ArticleOut:
    media, excerpt = card.media, card.excerpt
    return ArticleOut(
        id=str(card.item.id),
        title=card.title or card.item.url,
        url=card.item.url,
        site=media.site_name,
        byline=media.byline,
        saved_at=card.item.created_at.isoformat(),
        tags=list(card.tags),
        excerpt=excerpt[:MAX_EXCERPT] if excerpt else None,
        note=card.item.note[:MAX_EXCERPT] if card.item.note else None,
        reading_minutes=media.reading_minutes,
        is_readable=media.is_readable,
        is_favourite=card.reading.is_favourite,
        is_archived=card.reading.is_archived,
        is_read=card.reading.read_at is not None,
        passage=decode_entities(passage.replace("<mark>", "").replace("</mark>", "")) if passage else None,
    )


def describe_highlight(highlight: Highlight, card: Card | None) -> HighlightOut:
    return HighlightOut(
        id=str(highlight.id),
        article_id=str(card.item.id) if card else None,
        title=card.title if card else None,
        quote=highlight.quote.exact,
        note=highlight.note,
        colour=highlight.colour,
        created_at=highlight.created_at.isoformat(),
    )


def split_pages(text: str, size: int) -> list[str]:
    """Split a text into parts of at most `size` characters, between paragraphs or lines if there are any."""
    pages, at = [], 0
    while len(text) - at > size:
        end = max(text.rfind("\n\n", at, at + size), text.rfind("\n", at + size // 2, at + size))
        end = end if end > at else at + size
        pages.append(text[at:end].strip("\n"))
        at = end
    return [*pages, text[at:].strip("\n")]
