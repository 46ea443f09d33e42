"""Pages, articles and failures survive the pipe; what no child of ours would say does not."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid5

import pytest

from kept.content.article.canonical import canonical_text
from kept.content.article.extract import Article, ExtractFailed, Page
from kept.content.article.sanitise import ImageRef, SafeHtml
from kept.content.page.metadata import PageMetadata
from kept.domain.failures import FailureCode, FailureStage
from kept.subprocesses.extractor_codec import encode_outcome, encode_page, parse_outcome, parse_page
from kept.subprocesses.frames import Frame, FrameError

METADATA = PageMetadata(
    title="Über Brücken",
    published_at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
    base_url="https://news.example/",
    opengraph={"title": "Über Brücken"},
)
IMAGE = ImageRef(uuid5(UUID(int=1), "a"), "https://news.example/a.jpg")


def article() -> Article:
    html = SafeHtml.admit("<p>Über Brücken ✓</p>")
    assert html is not None
    return Article(
        title="Über Brücken",
        byline=None,
        excerpt="…",
        site_name="News",
        lang="de",
        dir=None,
        word_count=3,
        html=html,
        text=canonical_text(html),
        images=(IMAGE,),
        metadata=METADATA,
    )


def test_an_article_arrives_as_it_was_sent() -> None:
    assert parse_outcome(encode_outcome(article())) == article()


def test_a_failure_arrives_as_it_was_sent() -> None:
    failure = ExtractFailed(FailureCode.SANITIZE_FAILED, "Too deep.", FailureStage.SANITIZE, METADATA)
    assert parse_outcome(encode_outcome(failure)) == failure
    assert parse_outcome(encode_outcome(replace(failure, metadata=None))) == replace(failure, metadata=None)


def test_a_page_arrives_as_it_was_sent() -> None:
    page = Page(b"\xff\x00", "https://a.example/", UUID(int=3), "text/html", 200, "https://b.example/")
    assert parse_page(encode_page(page, 2.5)) == (page, 2.5)


def test_markup_that_sanitise_did_not_write_is_refused() -> None:
    frame = encode_outcome(article())
    script = b"<script>alert(1)</script>"
    forged = Frame({**frame.header, "html_bytes": len(script)}, script)
    with pytest.raises(FrameError, match="not sanitised"):
        parse_outcome(forged)


@pytest.mark.parametrize(
    "header", [{}, {"code": "E_NO_SUCH", "message": "", "stage": "extract"}, {"code": 0}, {"html_bytes": "x"}]
)
def test_an_answer_that_makes_no_sense_is_refused(header: dict[str, object]) -> None:
    with pytest.raises(FrameError):
        parse_outcome(Frame(header))
