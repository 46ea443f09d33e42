"""Lists that stand beside the text on the page: which are put back, and where."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.article.candidates import gather_opinions
from kept.content.article.lists import put_back_lists
from kept.content.article.tidy import parse_body

FIRST = (
    "<p>Soak the peas overnight in three times their height of cold water, and throw that water away in the morning, "
    "since it is what makes people afraid of peas.</p>"
)
LAST = (
    "<p>Let it simmer for an hour and a half with the lid half on. Stir from the bottom, where it burns first, and add "
    "the vinegar when you have turned off the fire.</p>"
)
TEXT = f"<div>{FIRST}{LAST}</div>"
NEEDS = "<ul><li>250 g of dried peas</li><li>one large onion</li><li>a spoon of marjoram</li></ul>"


def put_back(page: str, article: str = TEXT) -> str:
    html = f"<body><main><h1>Pease pudding</h1>{page}</main></body>"
    opinions, root = gather_opinions(html, LexborHTMLParser(html)), parse_body(article)
    assert opinions is not None
    assert root is not None
    put_back_lists(root, opinions)
    return root.inner_html or ""


def test_a_list_before_the_text_is_put_before_it_with_its_heading() -> None:
    heading = "<h2>What is needed</h2>"
    assert put_back(f"<div><div>{heading}</div>{NEEDS}</div>{TEXT}") == f"{heading}{NEEDS}{TEXT}"


def test_a_list_after_the_text_is_put_at_its_end() -> None:
    assert put_back(f"{TEXT}<section>{NEEDS}</section>") == TEXT + NEEDS


def test_a_list_between_paragraphs_is_put_between_them() -> None:
    assert put_back(f"<div>{FIRST}{NEEDS}{LAST}</div>") == f"<div>{FIRST}{NEEDS}{LAST}</div>"


def test_a_table_is_put_back_too() -> None:
    table = "<table><tbody>" + "<tr><td>Peas</td><td>250 g, dried</td></tr>" * 3 + "</tbody></table>"
    assert put_back(f"<div>{table}</div>{TEXT}") == table + TEXT


def test_a_list_that_is_there_is_not_put_back() -> None:
    ticked = NEEDS.replace("<li>", "<li>▢ ")
    assert put_back(f"<div>{ticked}</div>{TEXT}", NEEDS + TEXT) == NEEDS + TEXT


def test_a_list_that_the_page_repeats_is_put_back_once() -> None:
    assert put_back(f"<div>{NEEDS}</div><div>{NEEDS}</div>{TEXT}").count("onion") == 1


@pytest.mark.parametrize(
    "box",
    [
        "<div>" + NEEDS.replace("<li>", '<li><a href="/x">').replace("</li>", "</a></li>") + "</div>",
        f"<aside>{NEEDS}</aside>",
        f"<form>{NEEDS}</form>",
        f'<div class="related">{NEEDS}</div>',
        f"<div><h2>Related stories</h2>{NEEDS}</div>",
        "<div>" + NEEDS.replace("<li>", "<li><img src=a.jpg>") + "</div>",
        "<ul><li>250 g of dried peas and a large onion</li><li>marjoram</li></ul>",
    ],
    ids=["links", "aside", "form", "name", "heading", "slides", "two items"],
)
def test_what_may_be_no_part_of_the_article_is_not_put_back(box: str) -> None:
    assert put_back(box + TEXT) == TEXT


def test_lists_of_another_article_are_not_put_back() -> None:
    other = (
        "<p>In other news the swimming pool opens on Sunday at nine, with cake for everybody who comes early.</p>" * 3
    )
    assert put_back(f"<div>{NEEDS}</div>{TEXT}", other) == other


def test_what_nobody_sees_is_not_put_back_with_a_list() -> None:
    hidden = NEEDS.replace("</ul>", '<li style="display:none">a stone</li></ul>')
    assert put_back(f"<div>{hidden}</div>{TEXT}") == NEEDS + TEXT


@pytest.mark.parametrize("hidden", ["<ul hidden>", "<ul style='display: none'>"])
@pytest.mark.parametrize("page", ["{}" + TEXT, TEXT + "{}"], ids=["before the text", "after it"])
def test_a_list_that_nobody_sees_is_not_put_back(page: str, hidden: str) -> None:
    assert put_back(page.format(f"<div>{NEEDS.replace('<ul>', hidden)}</div>")) == TEXT


def test_what_one_gets_who_pays_is_not_put_back() -> None:
    offer = f"<div><h2>Continue reading with a subscription</h2><p>Get every recipe.</p>{NEEDS}</div>"
    assert put_back(TEXT + offer) == TEXT
