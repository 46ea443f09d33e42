"""What the rules know of a page beside its markup: what it says that it is, and what its article is about."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from kept.content.article.rules import thresholds

_ARTICLE_TYPE: Final = re.compile(r'"@type"\s{0,5}:\s{0,5}\[?\s{0,5}"(?:[A-Za-z]{0,20}Article|BlogPosting|Review)"')
_COLLECTION_TYPE: Final = re.compile(r'"@type"\s{0,5}:\s{0,5}\[?\s{0,5}"(?:CollectionPage|SearchResultsPage)"')
# What is signed and dated too, and is no article.
_OTHER_TYPE: Final = re.compile(
    r'"@type"\s{0,5}:\s{0,5}\[?\s{0,5}"(?:Recipe|Product|ProductGroup|FAQPage|Event|Service|HowTo|Course|AboutPage|ContactPage'
    r'|CollectionPage|SoftwareApplication|JobPosting|LocalBusiness|Restaurant|ProfilePage|ItemPage)"'
)
_DATED: Final = re.compile(r'"datePublished"')
# Whose page it is and when it was written: what an article shows, and what a firm's pages or a shop's lack.
_SIGNED: Final = (
    'meta[property="article:published_time"], meta[name="author"], [itemprop~=datePublished], [rel~=author], '
    '[itemprop~=author], [class*="byline"]'
)


@dataclass(frozen=True, slots=True)
class PageFacts:
    """For the rules before Readability."""

    url: str
    says_article: bool
    may_be_article: bool
    """It says so; or it says nothing, and has the date or the author of one."""
    is_collection: bool

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True, slots=True)
class Subject:
    """For the rules after Readability: what is known of the article beside its text."""

    titles: tuple[str, ...] = ()
    byline: str = ""
    host: str = ""


def find_facts(page: LexborHTMLParser, url: str) -> PageFacts:
    data = [script.text() for script in page.css('script[type="application/ld+json"]')[: thresholds.MOST_NEAR]]

    def says(kind: re.Pattern[str]) -> bool:
        return any(kind.search(text) for text in data)

    kind = page.css_first('meta[property="og:type"]')
    says_article = kind is not None and (kind.attributes.get("content") or "").strip().lower() == "article"
    says_article = says_article or says(_ARTICLE_TYPE)
    is_signed = says_article or (not says(_OTHER_TYPE) and (page.css_first(_SIGNED) is not None or says(_DATED)))
    return PageFacts(url, says_article, is_signed, says(_COLLECTION_TYPE))
