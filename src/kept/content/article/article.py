"""A page before, and an article after extraction: values without the parsers that make them, which only child
processes need."""

import re
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from kept.content.article.canonical import CanonicalText
from kept.content.article.safe_html import SafeHtml
from kept.content.article.site_rule import RuleUse, SiteRule
from kept.content.page.description import PageMetadata
from kept.content.page.following_page import NextPage
from kept.domain.failures import FailureCode, FailureStage

# As much as a fetch may bring; an article is a part of its page.
MAX_ARTICLE_CHARACTERS: Final = 10 * 1024 * 1024
_WORD: Final = re.compile(r"[^\W\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_IDEOGRAPH: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class ImageRef:
    """An image of the article: the id its `src` now names, and where it came from."""

    id: UUID
    origin_url: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was fetched, and which media it is for."""

    body: bytes = field(repr=False)
    final_url: str
    media_id: UUID
    content_type: str | None = None
    status: int | None = None
    canonical_url: str | None = None
    """Where the article lives; `final_url` if that is not another one."""
    is_article: bool = False
    """Another tool found the article in the page already: all of it is to be kept."""
    is_copy: bool = False
    """A file of another Kept's: the article is made safe again, and nothing else is done to it."""
    is_upload: bool = False
    """Somebody uploaded it as they see it: nothing stands in its way, whatever it says."""
    rule: SiteRule | None = None
    """What the operator says about this site; for `reading`."""


@dataclass(frozen=True, slots=True)
class Article:
    """What is kept of a page."""

    title: str | None
    byline: str | None
    excerpt: str | None
    site_name: str | None
    lang: str | None
    dir: str | None
    word_count: int
    html: SafeHtml = field(repr=False)
    text: CanonicalText = field(repr=False)
    images: tuple[ImageRef, ...] = field(repr=False)
    metadata: PageMetadata = field(repr=False)
    next_page: NextPage | None = None
    """Where the article goes on, if the page is one of several."""
    rule_use: RuleUse | None = None


@dataclass(frozen=True, slots=True)
class ExtractFailed:
    """No article, and why; the message is for people. What the page said of itself may still be of use."""

    code: FailureCode
    message: str
    stage: FailureStage = FailureStage.EXTRACT
    metadata: PageMetadata | None = field(default=None, repr=False)
    detail: str | None = None
    """For the log, where the message leaves something out: programs and their errors."""
    is_transient: bool = False
    """A child process hung or died, and may do better next time; what the page lacks, it will lack again."""
    alternate_url: str | None = None
    """Another version that the page names of itself (AMP, for printing), where it has no article."""


def count_words(text: str) -> int:
    """Words as a reader's time counts them: where words are not set apart, two characters are about one."""
    return len(_WORD.findall(text)) + (len(_IDEOGRAPH.findall(text)) + 1) // 2
