"""What was found out about a page: values without the parsers that make them, which only child processes need."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

# Title and image URL as the specification of the archive says; the others are as long as a card can show.
MAX_TITLE: Final = 500
MAX_EXCERPT: Final = 1000
MAX_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """A page's own description of itself. Every text is one clean line; every URL is absolute http(s)."""

    title: str | None = None
    excerpt: str | None = None
    preview_image_url: str | None = None
    byline: str | None = None
    site_name: str | None = None
    lang: str | None = None
    published_at: datetime | None = None
    declared_canonical: str | None = None
    favicon_url: str | None = None
    base_url: str = ""
    opengraph: dict[str, str] = field(default_factory=dict)
    twitter: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Return the form in which `media.metadata` is stored."""
        return {
            "opengraph": dict(self.opengraph),
            "twitter": dict(self.twitter),
            "declared_canonical": self.declared_canonical,
        }


class PageKind(StrEnum):
    """The kind of a page for someone who wanted to read it."""

    CONTENT = "content"
    CHALLENGE = "challenge"
    CONSENT_WALL = "consent_wall"
    LOGIN_WALL = "login_wall"
    SOFT_404 = "soft_404"
    ERROR_PAGE = "error_page"
    JAVASCRIPT_REQUIRED = "javascript_required"


# Kinds whose title, excerpt and image are not the wanted page's. A JavaScript shell's are: applications
# that are drawn in the browser still describe themselves in their head.
_STANDS_IN_THE_WAY: Final = frozenset(
    {PageKind.CHALLENGE, PageKind.CONSENT_WALL, PageKind.LOGIN_WALL, PageKind.SOFT_404, PageKind.ERROR_PAGE}
)


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """The kind of page, and the reason in words for people."""

    kind: PageKind
    reason: str

    @property
    def describes_itself(self) -> bool:
        """Whether the page's own title and description are those of what was asked for."""
        return self.kind not in _STANDS_IN_THE_WAY

    @property
    def is_readable(self) -> bool:
        """Whether an article may be taken from it without a browser."""
        return self.kind is PageKind.CONTENT


# For whoever asked for a deeper page of the site.
FRONT_PAGE: Final = PageVerdict(PageKind.SOFT_404, "The site led to its front page instead of the page.")


@dataclass(frozen=True, slots=True)
class PageCard:
    metadata: PageMetadata
    verdict: PageVerdict

    @property
    def is_the_page(self) -> bool:
        """Whether this is the page that was asked for, so that its URL may name it."""
        return self.verdict.kind in {PageKind.CONTENT, PageKind.JAVASCRIPT_REQUIRED}
