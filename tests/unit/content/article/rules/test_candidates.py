"""A second opinion on what a page's article is: when it is asked for, and whose answer is taken."""

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.rules.candidates import (
    Candidate,
    Opinions,
    choose,
    gather_opinions,
    is_doubtful,
    remove_unseen,
)
from kept.content.article.tidy import parse_body

pytestmark = pytest.mark.requirement("Kept", "pages that are lists, firms and discussions")

FIRST = (
    "The council met on Tuesday to weigh a plan that would close the old bridge for two years, and the people of the "
    "valley came in numbers to say what they thought of it. "
)
SECOND = (
    "Nobody had expected the engineers to bring a model of the bridge, which stood on the table all evening and was "
    "looked at by everybody who had a question about the pillars. "
)
THIRD = (
    "Whatever is decided, the ferry will run again from the first of May, the mayor said, and nobody in the hall that "
    "evening believed that it would be the last word on the matter. "
)
ELSEWHERE = "In other news the swimming pool opens on Sunday at nine, with cake for everybody who comes early enough. "


def gathered(html: str) -> Opinions:
    opinions = gather_opinions(html, LexborHTMLParser(html))
    assert opinions is not None
    return opinions


def body(html: str) -> LexborNode:
    root = parse_body(html)
    assert root is not None
    return root


def candidate(*texts: str) -> Candidate:
    return Candidate(body("".join(f"<p>{text}</p>" for text in texts)), "".join(texts))


def page(inside: str) -> str:
    return f"<body><header>Menu</header>{inside}</body>"


ARTICLE = f"<div id=text><p>{FIRST}</p><p>{SECOND}</p><p>{THIRD}</p></div>"


def test_the_densest_part_is_the_smallest_element_with_most_of_the_prose() -> None:
    opinions = gathered(page(f"<div id=all>{ARTICLE}<div><p>{ELSEWHERE}</p></div></div>"))
    assert opinions.densest.attributes["id"] == "text"


def test_links_and_what_is_named_clutter_are_no_prose() -> None:
    teasers = f"<div id=teasers>{f'<p><a href=/x>{ELSEWHERE}</a></p>' * 9}</div>"
    comments = f"<div class=comment-list>{f'<p>{ELSEWHERE}</p>' * 2}</div>"
    assert gathered(page(ARTICLE + teasers + comments)).densest.attributes["id"] == "text"


def test_a_name_of_clutter_on_every_section_takes_no_prose_away() -> None:
    sections = "".join(f"<section class=with-ads><p>{text}</p></section>" for text in (FIRST, SECOND, THIRD))
    assert gathered(page(f"<div id=text>{sections}</div>")).densest.attributes["id"] == "text"


def test_chinese_is_weighed_by_what_it_says() -> None:
    paragraph = "<p>议会在星期二开会讨论一项将旧桥关闭两年的计划，山谷里的人纷纷前来发表意见。</p>"
    assert gathered(page(f"<div id=text>{paragraph * 3}</div>")).densest.attributes["id"] == "text"


def test_a_page_without_prose_has_no_second_opinion() -> None:
    html = page("<p>Loading…</p>")
    assert gather_opinions(html, LexborHTMLParser(html)) is None


def test_an_answer_with_the_same_prose_is_not_doubtful() -> None:
    assert not is_doubtful(body(f"<p>{FIRST}<br></p><p>{SECOND}</p><p>{THIRD}</p>"), gathered(page(ARTICLE)))


def test_an_answer_that_lacks_a_third_or_has_much_more_is_doubtful() -> None:
    assert is_doubtful(body(f"<p>{FIRST}</p><p>{SECOND}</p>"), gathered(page(ARTICLE)))
    assert is_doubtful(body(ARTICLE + f"<p>{ELSEWHERE}</p>" * 3), gathered(page(ARTICLE)))


def test_what_two_of_three_agree_on_is_taken() -> None:
    short, whole, own = candidate(FIRST), candidate(FIRST, SECOND, THIRD), candidate(FIRST, SECOND, THIRD)
    assert choose([short, whole, own], "", None) is whole
    assert choose([short, whole, candidate(FIRST)], "", None) is short


def test_without_evidence_readability_is_believed() -> None:
    short, whole = candidate(FIRST), candidate(FIRST, SECOND, THIRD)
    assert choose([short, whole], "", None) is short


def test_the_body_in_structured_data_decides() -> None:
    html = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "articleBody": '
        f'"{FIRST}{SECOND}{THIRD}"}}</script>'
    )
    short, whole = candidate(FIRST), candidate(FIRST, SECOND, THIRD)
    assert choose([short, whole], html, None) is whole


def test_the_description_decides_between_different_texts() -> None:
    wrong, right = candidate(ELSEWHERE, ELSEWHERE), candidate(FIRST, SECOND)
    assert choose([wrong, right], "", FIRST) is right


def test_an_answer_of_nothing_is_replaced() -> None:
    whole = candidate(FIRST, SECOND)
    assert choose([candidate("Menu"), whole], "", None) is whole


def test_what_nobody_sees_is_removed_from_a_suggestion() -> None:
    root = body('<p>Seen</p><p hidden>One</p><p style="color: red; display:none">Two</p><script>Three</script>')
    remove_unseen(root)
    assert root.text() == "Seen"


def test_a_candidate_that_has_all_of_readabilitys_answer_and_more_paragraphs_completes_it() -> None:
    more = [f"{number} {SECOND}" for number in ("One.", "Two.", "Three.")]
    first, whole = candidate(FIRST, THIRD), candidate(FIRST, *more, THIRD)
    assert choose([first, whole], "", None) is whole


def test_more_paragraphs_that_stand_below_headlines_of_other_pages_complete_nothing() -> None:
    more = "".join(
        f'<div><a href="/{number}">The swimming pool opens on Sunday</a><p>{number} {SECOND}</p></div>'
        for number in ("One.", "Two.", "Three.")
    )
    first = candidate(FIRST, THIRD)
    whole = Candidate(body(f"<p>{FIRST}</p>{more}<p>{THIRD}</p>"), FIRST + 3 * SECOND + THIRD)
    assert choose([first, whole], "", None) is first


def test_a_candidate_that_lacks_part_of_readabilitys_answer_completes_nothing() -> None:
    first = candidate(FIRST, THIRD)
    other = candidate(FIRST, *(f"{number} {SECOND}" for number in range(3)))
    assert choose([first, other], "", None) is first
