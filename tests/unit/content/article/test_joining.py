"""Pages of one article as one, and how a page is told that brings nothing new."""

from kept.content.article.article import is_repeated, join_pages, lines_of
from kept.content.article.safe_html import SafeHtml

FIRST = "The harbour was quiet that morning, and nobody thought of the storm."
SECOND = "In the afternoon the wind turned, and the boats came back one by one."


def safe(html: str) -> SafeHtml:
    found = SafeHtml.admit(html)
    assert found is not None
    return found


def test_pages_follow_each_other_in_markup_and_text() -> None:
    joined = join_pages([safe(f"<p>{FIRST}</p>"), safe(f"<p>{SECOND}</p>")])
    assert joined is not None
    assert str(joined.html) == f"<p>{FIRST}</p><p>{SECOND}</p>"
    assert joined.text.text == f"{FIRST}\n\n{SECOND}"
    assert joined.word_count == len(f"{FIRST} {SECOND}".split())


def test_each_page_keeps_its_own_footnotes() -> None:
    page = safe('<p>Text<a href="#k-n1">1</a></p><p id="k-n1">A note.</p>')
    joined = join_pages([page, page, page])
    assert joined is not None
    for place in ("k-n1", "k-p2.n1", "k-p3.n1"):
        assert str(joined.html).count(f'<a href="#{place}">') == str(joined.html).count(f' id="{place}"') == 1


def test_pages_that_are_too_long_together_are_not_joined() -> None:
    page = safe("<p>" + "a" * 6_000_000 + "</p>")
    assert join_pages([page]) is not None
    assert join_pages([page, page]) is None


def test_a_page_that_says_mostly_what_was_said_is_repeated() -> None:
    known = set(lines_of(FIRST))
    assert is_repeated(lines_of(FIRST), known)
    assert is_repeated(lines_of(f"{FIRST}\nComments of today, of which there are few"), known)
    assert not is_repeated(lines_of(f"{FIRST}\n{SECOND}\n{SECOND}"), known)
    assert is_repeated(lines_of("Page 2"), known)
