"""Pages, articles and failures survive the pipe; what no child of ours would say does not."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid5

import pytest

from kept.content.article.article import Article, ExtractFailed, ImageRef, Page, join_pages
from kept.content.article.canonical import canonical_text
from kept.content.article.sanitise import SafeHtml
from kept.content.article.site_rule_files import parse_site_rule
from kept.content.article.site_rules import RuleUse, SiteRule
from kept.content.page.description import PageMetadata
from kept.content.page.page_number import NextPage
from kept.domain.failures import FailureCode, FailureStage
from kept.subprocesses.codec import encode_failure, encode_written
from kept.subprocesses.extraction import encode_page, encode_pages, parse_joined, parse_outcome
from kept.subprocesses.frames import Frame, FrameError
from kept.subprocesses.workers import join, parse_page

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
    assert parse_outcome(encode_written(article())) == article()


def test_a_failure_arrives_as_it_was_sent() -> None:
    failure = ExtractFailed(FailureCode.SANITIZE_FAILED, "Too deep.", FailureStage.SANITIZE, METADATA)
    assert parse_outcome(encode_failure(failure)) == failure
    assert parse_outcome(encode_failure(replace(failure, metadata=None))) == replace(failure, metadata=None)


def test_where_an_article_goes_on_and_what_a_rule_did_arrive_too() -> None:
    following = NextPage("https://news.example/a/2", 2, 5, is_sure=False)
    sent = replace(article(), next_page=following, rule_use=RuleUse("a.toml", has_matched=False, title="T"))
    assert parse_outcome(encode_written(sent)) == sent
    failure = ExtractFailed(FailureCode.EXTRACT_NO_CONTENT, "Nothing.", alternate_url="https://news.example/amp")
    assert parse_outcome(encode_failure(failure)) == failure


def test_a_page_brings_the_rule_of_its_site() -> None:
    rule = parse_site_rule('hosts = ["a.example"]\ntake = ["p"]\nbrowser = true', "a.toml")
    assert isinstance(rule, SiteRule)
    page = Page(b"x", "https://a.example/", UUID(int=3), rule=rule)
    assert parse_page(encode_page(page, 2.5)) == (page, 2.5)


def test_pages_to_join_and_the_joined_article_arrive_as_they_were_sent() -> None:
    pages = [article().html, article().html]
    assert parse_joined(join(encode_pages(pages))) == join_pages(pages)
    assert parse_joined(encode_failure("not joined")) is None


def test_pages_that_sanitise_did_not_write_are_not_joined() -> None:
    script = b"<script>alert(1)</script>"
    with pytest.raises(ValueError, match="not sanitised"):
        join(Frame({"join": [len(script)]}, script))
    forged = {"html_bytes": len(script), "word_count": 1, "text_version": 1}
    for header in (forged, {}):
        with pytest.raises(FrameError):
            parse_joined(Frame(header, script))


def test_a_page_arrives_as_it_was_sent() -> None:
    page = Page(b"\xff\x00", "https://a.example/", UUID(int=3), "text/html", 200, "https://b.example/")
    assert parse_page(encode_page(page, 2.5)) == (page, 2.5)


def test_markup_that_sanitise_did_not_write_is_refused() -> None:
    frame = encode_written(article())
    script = b"<script>alert(1)</script>"
    forged = Frame({**frame.header, "html_bytes": len(script)}, script)
    with pytest.raises(FrameError, match="not sanitised"):
        parse_outcome(forged)


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"failed": {"code": "E_NO_SUCH", "message": "", "stage": "extract"}},
        {"failed": {"code": 0}},
        {"html_bytes": "x"},
    ],
)
def test_an_answer_that_makes_no_sense_is_refused(header: dict[str, object]) -> None:
    with pytest.raises(FrameError):
        parse_outcome(Frame(header))
