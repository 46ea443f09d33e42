"""What a page says that it is."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.article.page_types import may_be_article, says_article, says_collection, says_other_type


def data(text: str) -> LexborHTMLParser:
    return LexborHTMLParser(f'<head><script type="application/ld+json">{text}</script></head><body></body>')


@pytest.mark.parametrize(
    "page",
    [
        LexborHTMLParser('<meta property="og:type" content=" Article ">'),
        data('{"@type": "NewsArticle"}'),
        data('{"@type":["BlogPosting"]}'),
    ],
    ids=["network", "structured data", "a list of types"],
)
def test_a_page_says_that_it_is_an_article(page: LexborHTMLParser) -> None:
    assert says_article(page)
    assert may_be_article(page)


def test_a_page_says_that_it_is_a_collection_or_a_product() -> None:
    assert says_collection(data('{"@type": "CollectionPage"}'))
    assert says_other_type(data('{"@type": "Product"}'))
    assert not says_article(data('{"@type": "Product"}'))


def test_a_page_with_an_author_or_a_date_may_be_an_article_unless_it_says_otherwise() -> None:
    assert may_be_article(LexborHTMLParser('<body><span class="byline">Ada Byron</span>'))
    assert may_be_article(data('{"datePublished": "2026-03-01"}'))
    assert not may_be_article(data('{"@type": "Recipe", "datePublished": "2026-03-01"}'))
    assert not may_be_article(LexborHTMLParser("<body><h1>Our rooms</h1>"))
