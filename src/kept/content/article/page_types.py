"""What a page says that it is, in the marks that it has for search engines and networks."""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser

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
MOST_DATA: Final = 10


def says_article(page: LexborHTMLParser) -> bool:
    kind = page.css_first('meta[property="og:type"]')
    if kind is not None and (kind.attributes.get("content") or "").strip().lower() == "article":
        return True
    return _says(page, _ARTICLE_TYPE)


def says_other_type(page: LexborHTMLParser) -> bool:
    return _says(page, _OTHER_TYPE)


def may_be_article(page: LexborHTMLParser) -> bool:
    """Whether it says that it is an article; or says nothing, and has the date or the author of one."""
    if says_article(page):
        return True
    return not says_other_type(page) and (page.css_first(_SIGNED) is not None or _says(page, _DATED))


def is_dated(page: LexborHTMLParser) -> bool:
    """Whether it has one date for all of it, as an article has; a list may name the dates and authors of its rows."""
    return page.css_first('meta[property="article:published_time"]') is not None or _says(page, _DATED)


def says_collection(page: LexborHTMLParser) -> bool:
    return _says(page, _COLLECTION_TYPE)


def _says(page: LexborHTMLParser, kind: re.Pattern[str]) -> bool:
    return any(kind.search(data.text()) for data in page.css('script[type="application/ld+json"]')[:MOST_DATA])
