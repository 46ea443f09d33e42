"""The rows of pages that are lists: which rows are one, and when they take the place of an answer."""

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article import listing as module
from kept.content.article.listing import MOST_LOOKED_FOR, Listing, completes_listing, find_listing
from kept.content.article.lists import letters_of
from kept.content.article.prune.tree import text_of
from kept.content.article.tidy import parse_body

pytestmark = pytest.mark.requirement("Kept", "pages that are lists, firms and discussions")

PROSE = (
    "<p>The council met on Tuesday to weigh a plan that would close the old bridge for two years, "
    "and the people of the valley came in numbers to say what they thought of it.</p>"
)
HEAD = "<thead><tr><th>Topic<th>Answers<th>Last</tr></thead>"


def topic(number: int) -> str:
    return (
        f'<tr class="row{number % 2}"><td><a href="/t/{number}">How to mend the hull of boat {number}</a>'
        f"<td>{number} answers<td>by Maren on 3 May</tr>"
    )


def offer(number: int) -> str:
    return (
        f'<div class="offer"><h3><a href="/o/{number}">Boat number {number}</a></h3>'
        f"<span>Lies in the harbour since spring, two masts, in need of paint and an owner. € {number}00</span></div>"
    )


TOPICS = f"<table>{HEAD}<tbody>{''.join(map(topic, range(12)))}</tbody></table>"
OFFERS = f'<div class="list">{"".join(map(offer, range(8)))}</div>'
STATISTICS = "<p>The club has 7,122 members, and most of them were here at the same time on the first of May.</p>"


def listing(body: str, head: str = "") -> Listing | None:
    return find_listing(LexborHTMLParser(f"<html><head>{head}</head><body>{body}</body></html>"))


def part_of(body: str) -> str | None:
    found = listing(body)
    return found.part.tag if found is not None else None


def node(html: str) -> LexborNode:
    root = parse_body(html)
    assert root is not None
    return root


def test_rows_that_are_most_of_a_page_are_its_list() -> None:
    found = listing(f"<div><h1>Topics</h1>{TOPICS}{STATISTICS}</div>")
    assert found is not None
    assert found.part.tag == "table"
    assert len(found.rows) == 12


def test_the_part_has_what_stands_around_the_rows_and_little_else() -> None:
    assert part_of(f"<main><h1>Boats</h1><section>{OFFERS}</section></main>") == "main"
    assert part_of(f"<main><p>{'Other things of the club. ' * 5}</p><section>{OFFERS}</section></main>") == "section"


def test_rows_in_a_page_that_is_written_as_one_form_are_a_list() -> None:
    assert listing(f"<form><div>{OFFERS}</div></form>") is not None
    assert listing(f"<div>{PROSE}</div><form><div>{OFFERS}</div></form><div>{PROSE}</div>") is None


@pytest.mark.parametrize(
    "body",
    [
        f"<nav>{OFFERS}</nav>",
        f"<div><ul>{'<li><a href=/x>What the site has besides the other things</a></li>' * 20}</ul></div>",
        f"<div><ul>{'<li><a href=/x>Boats</a> new</li>' * 60}</ul></div>",
        f"<article>{PROSE * 8}</article><div>{OFFERS}</div>",
        f"<div>{PROSE * 3}</div><div>{OFFERS}</div>",
        f"<div><div>{PROSE * 9}</div><div>Menu</div><div>Search</div><div>Rights</div><div>Links</div></div>",
        "<div>"
        + "".join(
            f"<div class=row><{tag} class=c{at}>{'Words of another kind of box. ' * 5}</{tag}></div>"
            for at, tag in enumerate(("p", "ul", "h2", "h3", "dl", "pre"))
        )
        + "</div>",
    ],
    ids=["a menu", "links", "short rows", "beside an article", "beside prose", "layout", "boxes that differ"],
)
def test_other_rows_are_no_list(body: str) -> None:
    assert listing(body) is None


@pytest.mark.parametrize(
    "head",
    [
        '<meta property="og:type" content="article">',
        '<meta property="article:published_time" content="2021-05-03">',
        '<script type="application/ld+json">{"@type": "WebPage", "datePublished": "2021-05-03"}</script>',
    ],
)
def test_a_page_that_says_that_it_is_an_article_has_no_list(head: str) -> None:
    assert listing(f"<div>{TOPICS}</div>", head) is None


def test_a_site_may_name_itself_as_the_author_of_its_lists() -> None:
    assert listing(f"<div>{TOPICS}</div>", '<meta name="author" content="The boat club">') is not None


def test_the_list_takes_the_place_of_what_stands_beside_it_and_of_a_few_of_its_rows() -> None:
    found = listing(f"<div>{OFFERS}{STATISTICS}</div>")
    assert found is not None
    assert completes_listing(node(OFFERS), node(STATISTICS), found)
    assert completes_listing(node(OFFERS), node(offer(1) + offer(2)), found)


def test_an_answer_with_most_rows_or_with_more_text_stays() -> None:
    found = listing(f"<div>{OFFERS}{STATISTICS}</div>")
    assert found is not None
    assert not completes_listing(node(OFFERS), node(OFFERS), found)
    assert not completes_listing(node(OFFERS), node(PROSE * 6), found)


def test_a_list_that_has_lost_its_rows_to_pruning_is_not_taken() -> None:
    found = listing(f"<div>{OFFERS}{STATISTICS}</div>")
    assert found is not None
    assert not completes_listing(node(PROSE * 4), node(STATISTICS), found)


def test_a_table_takes_the_place_of_its_cells_run_together() -> None:
    found = listing(f"<div>{TOPICS}</div>")
    assert found is not None
    run_together = node(f"<div>{TOPICS}</div>".replace("tr", "span").replace("<td>", "").replace("table", "div"))
    assert completes_listing(node(TOPICS), run_together, found)


@pytest.mark.parametrize(
    "html",
    [
        '<div class="a">' * 3_000 + offer(1) * 5,
        ("<div>" + offer(1) * 5) * 700,
        "<ul>" + ("<li>x" * 5 + "<ul>") * 700,
        "<table>" + topic(1) * 20_000 + "</table>",
        "<form><div></form>" * 300 + "<table>" + topic(1) * 5_000 + "</table>",
    ],
    ids=["deep", "rows in rows", "lists in lists", "many rows", "forms in forms"],
)
def test_a_page_made_to_be_slow_is_read_a_few_times_over(monkeypatch: pytest.MonkeyPatch, html: str) -> None:
    looked_at = 0

    def counted(node: LexborNode) -> str:
        nonlocal looked_at
        text = text_of(node)
        looked_at += len(text)
        return text

    monkeypatch.setattr(module, "text_of", counted)
    page = LexborHTMLParser(f"<body><div>{html}")
    find_listing(page)
    assert looked_at < 10 * len(html)


def test_few_of_very_many_rows_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found = listing("<table>" + "".join(map(topic, range(3_000))) + "</table>")
    assert found is not None
    asked: list[str] = []

    def counted(text: str) -> str:
        asked.append(text)
        return letters_of(text)

    monkeypatch.setattr(module, "letters_of", counted)
    assert completes_listing(found.part, node(STATISTICS), found)
    assert len(asked) <= 2 * (MOST_LOOKED_FOR + 1)


def test_a_page_of_very_much_text_is_no_list() -> None:
    assert listing(f"<div>{OFFERS}</div>") is not None
    assert listing(f"<div>{''.join(offer(number % 90) for number in range(15_000))}</div>") is None
