"""A page's card: what the save request needs of a fetched page, read from its first megabyte. Pure."""

from dataclasses import dataclass

from kept.content.challenge import PageKind, PageVerdict, classify_page
from kept.content.decode import decode_html
from kept.content.metadata import PageMetadata, read_metadata

# A page in the way tells nothing of the page behind it, but for a login: there the site at least names itself.
FILLS_NO_CARD = frozenset({PageKind.CHALLENGE, PageKind.CONSENT_WALL, PageKind.SOFT_404})


@dataclass(frozen=True, slots=True)
class PageCard:
    metadata: PageMetadata
    verdict: PageVerdict

    @property
    def is_the_page(self) -> bool:
        """Whether this is what was asked for, so that its address may name it."""
        return self.verdict.kind in {PageKind.CONTENT, PageKind.JAVASCRIPT_REQUIRED}


def read_card(body: bytes, *, content_type: str | None, url: str, parsed_bytes: int) -> PageCard:
    html = decode_html(body[:parsed_bytes], content_type).text
    metadata = read_metadata(html, url)
    verdict = classify_page(html, url=url, metadata=metadata)
    if verdict.kind in FILLS_NO_CARD:
        metadata = PageMetadata()
    return PageCard(metadata, verdict)
