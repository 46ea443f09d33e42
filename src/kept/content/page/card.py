"""A page's card: what the save request needs of a fetched page, read from its beginning. Pure."""

import re
from dataclasses import dataclass
from typing import Final

from kept.content.page.challenge import PageKind, PageVerdict, classify_page
from kept.content.page.decode import decode_html
from kept.content.page.metadata import PageMetadata, read_metadata

# A page in the way tells nothing of the page behind it, but for a login: there the site at least names itself.
FILLS_NO_CARD: Final = frozenset({PageKind.CHALLENGE, PageKind.CONSENT_WALL, PageKind.SOFT_404, PageKind.ERROR_PAGE})


# No page that stands in the way has so much to say (`challenge` allows the wordiest 900 words); most articles have
# more, and are spared the closer look, which takes longer than all else that is done for a card.
ARTICLES_WORTH: Final = 8000
PLAINLY_CONTENT: Final = PageVerdict(PageKind.CONTENT, "This is the page itself.")
# Up to the next "<" only: a tag that never ends would be looked for from each place it could begin at.
_LONG_PARAGRAPH: Final = re.compile(r"<p(?:\s[^<>]*+)?+>([^<]{120,}+)")


def has_an_articles_worth(html: str) -> bool:
    total = 0
    for paragraph in _LONG_PARAGRAPH.finditer(html):
        total += paragraph.end(1) - paragraph.start(1)
        if total >= ARTICLES_WORTH:
            return True
    return False


@dataclass(frozen=True, slots=True)
class PageCard:
    metadata: PageMetadata
    verdict: PageVerdict

    @property
    def is_the_page(self) -> bool:
        """Whether this is what was asked for, so that its URL may name it."""
        return self.verdict.kind in {PageKind.CONTENT, PageKind.JAVASCRIPT_REQUIRED}


def read_card(body: bytes, *, content_type: str | None, url: str) -> PageCard:
    """Of a page's beginning; the caller decides how much of it. Called by the card reader child alone."""
    html = decode_html(body, content_type).text
    metadata = read_metadata(html, url)
    verdict = PLAINLY_CONTENT if has_an_articles_worth(html) else classify_page(html, url=url, metadata=metadata)
    if verdict.kind in FILLS_NO_CARD:
        metadata = PageMetadata()
    return PageCard(metadata, verdict)
