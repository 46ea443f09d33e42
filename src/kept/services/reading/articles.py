"""Reading an article: in the reader of the pages, and by the API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from kept.content.article.presenting import (
    PageImages,
    Pages,
    PresentedArticle,
    begins_with_image,
    has_image,
    present_article,
)
from kept.content.article.safe_html import SafeHtml
from kept.domain.account import Viewer
from kept.domain.capture import Capture, CaptureFormat
from kept.domain.document import DocumentFacts
from kept.domain.highlight import MAX_PER_MEDIA, Highlight, HighlightState
from kept.domain.item import Card, ItemList
from kept.domain.library import Library, Role
from kept.domain.media import Media, image_asset_id
from kept.services.highlights.anchoring import mark_article
from kept.services.items.search import find_neighbours
from kept.services.pages.cards import ReadableArticle, get_article, get_card, get_visible_media
from kept.storage import articles, captures, events, highlights, libraries
from kept.storage.database.engine import Connection
from kept.storage.media import find_document


@dataclass(frozen=True, slots=True)
class ListedHighlights:
    total: int
    first: Sequence[Highlight]
    """The first of them in the order of the text, as many as are listed."""


@dataclass(frozen=True, slots=True)
class DocumentView:
    facts: DocumentFacts | None
    file: Capture | None
    shows_images: bool
    """Whether images of its pages are shown beside the text."""

    @property
    def can_show_images(self) -> bool:
        return bool(self.file and self.facts and self.facts.page_sizes)


@dataclass(frozen=True, slots=True)
class OpenArticle:
    """An item in the reader: its card, its article with the viewer's highlights, and its neighbours."""

    card: Card
    library: Library
    role: Role
    presented: PresentedArticle | None
    """The article, if there is one, with the highlights marked that have a place in it."""
    lead_image: UUID | None
    """The page's preview image, if the article does not show it or another image at its beginning."""
    highlights: Mapping[HighlightState, ListedHighlights]
    """The viewer's highlights."""
    previous: Card | None
    next: Card | None
    latest_event: int
    """The newest event when the article was read; a page that shows it is told of later ones."""
    document: DocumentView | None = None
    """What is known of the document, if it is one."""

    @property
    def has_highlights(self) -> bool:
        return any(listed.total for listed in self.highlights.values())


def open_article(
    tx: Connection,
    viewer: Viewer,
    item_id: UUID,
    listed: ItemList | None = None,
    *,
    most_listed: int = MAX_PER_MEDIA,
    page_images: bool = False,
) -> OpenArticle:
    """Open an item in the reader.

    `listed` is the list it is opened from, which decides its neighbours. At most `most_listed` of its highlights are
    read; all of them are marked. `page_images` says whether the pages of a document are shown beside its text.
    """
    card = get_card(tx, viewer, item_id)
    found = libraries.find_library(tx, card.item.library_id, viewer.user_id)
    assert found is not None  # get_card saw the membership
    summary = highlights.summarise(tx, viewer.user_id, card.media.id)
    html = _mark(tx, card.media, summary.marks) if card.media.is_readable else None
    document = _view_document(tx, card.media, page_images=page_images) if card.media.is_document else None
    presented = present_article(html, _describe_pages(card, document)) if html is not None else None
    lead_image = _find_lead_image(card.media, html) if html is not None else None
    first = {
        state: highlights.list_in_state(tx, viewer.user_id, card.media.id, state, most_listed) if total else []
        for state, total in summary.totals.items()
    }
    shown = {state: ListedHighlights(total, first[state]) for state, total in summary.totals.items()}
    previous, following = find_neighbours(tx, viewer, card, listed)
    latest = events.find_latest(tx)
    return OpenArticle(card, *found, presented, lead_image, shown, previous, following, latest, document)


def _view_document(tx: Connection, media: Media, *, page_images: bool) -> DocumentView:
    facts = find_document(tx, media.id)
    file = captures.find_capture(tx, media.id, CaptureFormat.DOCUMENT)
    shows_images = file is not None and facts is not None and (page_images or not facts.has_text)
    return DocumentView(facts, file, shows_images)


def _describe_pages(card: Card, document: DocumentView | None) -> Pages | None:
    if document is None or document.facts is None:
        return None
    facts = document.facts
    images = PageImages(card.item.id, facts.page_sizes, are_alone=not facts.has_text)
    return Pages(are_chapters=facts.page_count == 0, images=images if document.shows_images else None)


def _mark(tx: Connection, media: Media, marks: str) -> SafeHtml:
    fragment_id = articles.find_fragment_id(tx, media.id) if marks else None
    return mark_article(fragment_id, marks, lambda: get_article(tx, media).html)


def _find_lead_image(media: Media, html: SafeHtml) -> UUID | None:
    url = media.preview_image_url if media.preview_error is None else None
    if url is None or begins_with_image(html):
        return None
    image_id = image_asset_id(media.id, url)
    return None if has_image(html, image_id) else image_id


def read_article(tx: Connection, viewer: Viewer, media_id: UUID, *, with_highlights: bool = False) -> ReadableArticle:
    """Return the article of a media the viewer may see, once it is ready, with their highlights if wanted."""
    media = get_visible_media(tx, viewer, media_id)
    article = get_article(tx, media)
    if not with_highlights:
        return article
    marks = highlights.summarise(tx, viewer.user_id, media.id).marks
    return replace(article, html=mark_article(article.fragment_id, marks, lambda: article.html))
