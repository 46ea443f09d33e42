"""Metadata, obstacles and sanitising over the pages of the public corpora, or over our own in their place."""

import statistics
import time
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import pytest

from kept.content.article.canonical import canonical_text
from kept.content.article.sanitise import SanitisedArticle, sanitise_article
from kept.content.page.challenge import classify_page
from kept.content.page.decode import decode_html
from kept.content.page.description import PageKind, PageMetadata
from kept.content.page.metadata import read_metadata
from support.builders.extraction_corpus import (
    ARTICLES_EXPECTED,
    MOZILLA_EXPECTED,
    MOZILLA_URL,
    load_articles,
    load_mozilla,
)

# The goal is one millisecond; this machine may be doing other things.
GENEROUS_MS: Final = 5


@dataclass(frozen=True, slots=True)
class CorpusPage:
    name: str
    url: str
    html: str

    def metadata(self) -> PageMetadata:
        return read_metadata(self.html, self.url)


def decode(name: str, url: str, body: bytes) -> CorpusPage:
    return CorpusPage(name, url, decode_html(body, "text/html").text)


@pytest.fixture(scope="module")
def articles() -> list[CorpusPage]:
    return [decode(page.key, page.url, page.body) for page in load_articles()]


@pytest.fixture(scope="module")
def pages(articles: list[CorpusPage]) -> list[CorpusPage]:
    return articles + [decode(page.key, MOZILLA_URL, page.body) for page in load_mozilla()]


def test_every_article_page_has_title_and_excerpt_and_the_image_it_declares(articles: list[CorpusPage]) -> None:
    found = [(page, page.metadata()) for page in articles]
    complete = [page for page, metadata in found if metadata.title and metadata.excerpt]
    assert len(complete) >= 0.99 * len(articles)
    declaring = [metadata for page, metadata in found if "og:image" in page.html or "twitter:image" in page.html]
    assert len(declaring) == len(articles)
    assert all(metadata.preview_image_url for metadata in declaring)


def test_nearly_every_page_of_all_has_title_and_excerpt_and_most_have_an_image(pages: list[CorpusPage]) -> None:
    found = [page.metadata() for page in pages]
    assert len(found) == ARTICLES_EXPECTED + MOZILLA_EXPECTED
    assert sum(bool(metadata.title and metadata.excerpt) for metadata in found) >= 0.94 * len(found)
    assert sum(bool(metadata.preview_image_url) for metadata in found) >= 0.77 * len(found)


def test_no_real_page_is_taken_for_an_obstacle(pages: list[CorpusPage]) -> None:
    verdicts = {
        page.name: classify_page(page.html, url=page.url, metadata=page.metadata(), status=200) for page in pages
    }
    assert {name: verdict for name, verdict in verdicts.items() if verdict.kind is not PageKind.CONTENT} == {}


def test_every_real_page_can_be_sanitised_whole(pages: list[CorpusPage]) -> None:
    for page in pages:
        result = sanitise_article(page.html, base_url=page.url, canonical_url=page.url, media_id=UUID(int=3))
        assert isinstance(result, SanitisedArticle), page.name
        assert canonical_text(result.html).text, page.name


def test_metadata_is_read_in_about_a_millisecond(pages: list[CorpusPage]) -> None:
    took = []
    for page in pages:
        started = time.perf_counter()
        page.metadata()
        took.append(time.perf_counter() - started)
    assert statistics.median(took) * 1000 < GENEROUS_MS
