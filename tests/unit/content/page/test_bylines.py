"""Who wrote a page, by the marks in its text."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.page.bylines import choose_byline, clean_byline, find_marked_author

pytestmark = pytest.mark.requirement("Kept", "title, byline, date, site, language, lead image (`./bench metadata`)")


@pytest.mark.parametrize(
    "html",
    [
        '<a rel="author" href="/ada">Ada Byron</a>',
        '<span itemprop="author">Ada Byron</span>',
        '<p class="gray byline">By <a href="/ada">Ada Byron</a><br>Monday, 18 November 2019</p>',
        '<p class="byline">By Ada Byron</p>',
        '<ul class="authors"><li><a class="author" href="/ada">Ada Byron</a></li></ul>',
        '<div class="author"><img alt=""><a href="/ada">Ada Byron</a> writes about 7 engines.</div>',
        '<div class="author-name">Ada Byron</div><div class="byline">Those who make the Evening Echo</div>',
    ],
)
def test_an_author_is_found_by_the_marks_of_the_page(html: str) -> None:
    page = LexborHTMLParser(f"<h1>Engines</h1>{html}<p>Text.</p>")
    assert find_marked_author(page) == "Ada Byron"


@pytest.mark.parametrize(
    "html", ['<a class="author">Follow</a>', '<p class="byline">18 November 2019</p>', '<div class="author-box"></div>']
)
def test_what_is_no_name_is_no_author(html: str) -> None:
    assert find_marked_author(LexborHTMLParser(html)) is None


@pytest.mark.parametrize(
    "said",
    [
        "Ada Byron - 2018-09-16",
        "By Ada Byron | 3 May 2021",
        "Author: Ada Byron",
        "Recipe by Ada Byron",
        "von Ada Byron, 16. September 2018",
        "Ada Byron March 25",
        "Ada Byron Edited by Charles Babbage",
        "Ada Byron (https://example.org/ada)",
        "Текст: Ada Byron",
        "作者：Ada Byron",
        "Ada Byron",
    ],
)
def test_what_stands_around_a_name_goes(said: str) -> None:
    assert clean_byline(said) == "Ada Byron"


@pytest.mark.parametrize("name", ["Jean-Luc Moreau - Lyon", "Ada Byron, Charles Babbage", "Studio 54"])
def test_what_is_no_date_stays(name: str) -> None:
    assert clean_byline(name) == name


@pytest.mark.parametrize("said", ["View Comments", "December 7", "May 3rd, 2021", "12 comments", "Follow Author"])
def test_a_button_or_a_day_is_nobody(said: str) -> None:
    assert choose_byline([said], None) is None
    assert choose_byline([said, "Ada Byron"], None) == "Ada Byron"


@pytest.mark.parametrize("name", ["May Day", "April Jones", "August 7 Collective", "Reed Moore"])
def test_a_name_like_a_month_is_a_name(name: str) -> None:
    assert choose_byline([name], None) == name


def test_nobody_is_left_of_an_account_with_a_date() -> None:
    assert choose_byline(["admin - 2018-09-16"], None) is None


def test_the_longest_line_is_cleaned_in_no_time() -> None:
    assert clean_byline("a - " * 50_000 + "x")
