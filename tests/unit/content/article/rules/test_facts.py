"""What a page says that it is."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.article.rules.facts import PageFacts, find_facts


def facts(html: str) -> PageFacts:
    return find_facts(LexborHTMLParser(html), "https://news.example/bridge")


def data(text: str) -> str:
    return f'<head><script type="application/ld+json">{text}</script></head><body></body>'


@pytest.mark.parametrize(
    "html",
    [
        '<meta property="og:type" content=" Article ">',
        data('{"@type": "NewsArticle"}'),
        data('{"@type":["BlogPosting"]}'),
    ],
    ids=["network", "structured data", "a list of types"],
)
def test_a_page_says_that_it_is_an_article(html: str) -> None:
    assert facts(html).says_article
    assert facts(html).may_be_article


def test_a_page_says_that_it_is_a_collection_or_a_product() -> None:
    assert facts(data('{"@type": "CollectionPage"}')).is_collection
    assert not facts(data('{"@type": "Product"}')).says_article


def test_a_page_with_an_author_or_a_date_may_be_an_article_unless_it_says_otherwise() -> None:
    assert facts('<body><span class="byline">Ada Byron</span>').may_be_article
    assert facts(data('{"datePublished": "2026-03-01"}')).may_be_article
    assert not facts(data('{"@type": "Recipe", "datePublished": "2026-03-01"}')).may_be_article
    assert not facts("<body><h1>Our rooms</h1>").may_be_article
