"""What is kept of marked articles goes by the article and its marks, and has a limit."""

from uuid import UUID

import pytest

from kept.content.article.safe_html import SafeHtml
from kept.services.highlights import anchoring as marking
from kept.services.highlights.anchoring import mark_article
from support.builders.markup import make_safe

FRAGMENT = UUID(int=7)
HTML = make_safe("<p>The boats lay still.</p>")


class Article:
    """Counts how often it is read."""

    def __init__(self) -> None:
        self.reads = 0

    def read(self) -> SafeHtml:
        self.reads += 1
        return HTML


def line(number: int, colour: str = "red") -> str:
    return f"{UUID(int=number)} 4 9 {colour}"


def test_an_article_is_marked_once_until_its_marks_change() -> None:
    article = Article()
    first = mark_article(FRAGMENT, line(1), article.read)
    assert (mark_article(FRAGMENT, line(1), article.read), article.reads) == (first, 1)
    assert 'class="h-blue"' in str(mark_article(FRAGMENT, line(1, "blue"), article.read))
    assert 'data-note=""' in str(mark_article(FRAGMENT, f"{line(1)} noted", article.read))
    assert article.reads == 3
    assert mark_article(FRAGMENT, "", article.read) == HTML
    assert str(mark_article(FRAGMENT, line(1), article.read)) == str(first)


def test_of_many_articles_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marking, "MOST_BYTES", 2_000)
    article = Article()
    for number in range(20):
        mark_article(FRAGMENT, line(100 + number), article.read)
    mark_article(FRAGMENT, line(119), article.read)
    assert article.reads == 20
    mark_article(FRAGMENT, line(100), article.read)
    assert article.reads == 21
