"""The main part of pages that are no article: when it is taken, and what it must have."""

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.main_part import completes_part, find_main_part, is_part, remove_reviews
from kept.content.article.tidy import parse_body

pytestmark = pytest.mark.requirement("Kept", "pages that are lists, firms and discussions")

STORY = (
    "<p>The yard was founded by two sisters who had inherited a slipway and no boat, and they repaired what others had "
    "given up, and were paid in fish during the first winter.</p>"
)
PEOPLE = "".join(
    f"<div><h3>{name}</h3><p>Has been under more hulls than anybody on this coast, and writes the bills.</p></div>"
    for name in ("Maren Holt", "Ola Brandt", "Ines Fabre")
)
PRODUCT = '<script type="application/ld+json">{"@type": "Product"}</script>'


def body(html: str) -> LexborNode:
    root = parse_body(html)
    assert root is not None
    return root


def main_part(html: str) -> str | None:
    page = LexborHTMLParser(html)
    found = find_main_part(page, page.css("section")[0])
    return found.attributes.get("id") if found is not None else None


def test_the_main_part_is_what_the_page_calls_so() -> None:
    assert main_part(f"<body><div><main id=a><section>{STORY}</section></main></div>") == "a"


def test_a_page_with_two_main_parts_has_none() -> None:
    assert main_part(f"<body><main id=a><section>{STORY}</section></main><main id=b></main>") is None


def test_a_page_that_says_what_it_is_has_the_part_with_its_title() -> None:
    page = f"<body><div id=a><h1>Lamp</h1><section>{STORY}</section></div>"
    assert main_part(PRODUCT + page) == "a"
    assert main_part(page) is None


def test_an_answer_may_be_a_part_if_the_main_part_has_clearly_more_text() -> None:
    assert is_part(body(STORY), body(STORY + PEOPLE))
    assert not is_part(body(STORY), body(STORY + "<p>Visitors are welcome.</p>"))
    assert not is_part(body(STORY), body(STORY + f"<p><a href=/x>{PEOPLE}</a></p>"))
    assert not is_part(body(STORY * 30), body(STORY * 60))


@pytest.mark.parametrize(
    "whole",
    [
        PEOPLE * 2,
        STORY + PEOPLE.replace("<p>", "<p><a href=/x>").replace("</p>", "</a></p>"),
        STORY + PEOPLE.replace("Has been", "3 March 2026: has been"),
    ],
    ids=["without the answer", "links", "dated entries"],
)
def test_another_part_does_not_complete_an_answer(whole: str) -> None:
    assert completes_part(body(STORY + PEOPLE), body(STORY))
    assert not completes_part(body(whole), body(STORY))


def test_reviews_of_buyers_go() -> None:
    review = '<div class="review"><span class="review-name">Jan</span><p class="review-text">Good lamp.</p></div>'
    root = body(f'{STORY}<div id="reviews">{review * 3}</div><p class="review">A review of the yard.</p>')
    remove_reviews(root)
    assert "Good lamp" not in root.text()
    assert "A review of the yard" in root.text()
