"""A page's card: what the save request needs of a fetched page, read from its beginning. Pure."""

from typing import Final

from kept.content.page.challenge import classify_page
from kept.content.page.decode import decode_html
from kept.content.page.description import PageCard, PageKind, PageMetadata
from kept.content.page.metadata import read_metadata

# A page in the way tells nothing of the page behind it, but for a login: there the site at least names itself.
FILLS_NO_CARD: Final = frozenset({PageKind.CHALLENGE, PageKind.CONSENT_WALL, PageKind.SOFT_404, PageKind.ERROR_PAGE})


def read_card(body: bytes, *, content_type: str | None, url: str) -> PageCard:
    """Read the card from a page's beginning, as much as the caller gives. Only the card reader child calls this."""
    html = decode_html(body, content_type).text
    metadata = read_metadata(html, url)
    verdict = classify_page(html, url=url, metadata=metadata)
    if verdict.kind in FILLS_NO_CARD:
        metadata = PageMetadata()
    return PageCard(metadata, verdict)
