"""Each rule of the canonical text (version 1; docs/design.md) has a test here that names it."""

from uuid import UUID

import pytest

from kept.content.article.canonical import CANONICAL_VERSION, CanonicalText, canonical_text
from kept.content.article.sanitise import SanitisedArticle, sanitise_article
from kept.domain.text import normalise

pytestmark = [
    pytest.mark.requirement("002", "§8 canonical text"),
    pytest.mark.requirement("004", "§12", "§13", "§15 canonical text, fragment, state transitions"),
]

PAGE = "https://site.example/post"


def text_of(html: str) -> str:
    result = sanitise_article(html, base_url=PAGE, canonical_url=PAGE, media_id=UUID(int=1))
    assert isinstance(result, SanitisedArticle), result
    return canonical_text(result.html).text


def test_the_version_is_one_and_stored_with_the_text() -> None:
    assert CANONICAL_VERSION == 1
    assert CanonicalText("a").version == 1


def test_text_comes_in_document_order() -> None:
    assert text_of("<p>one <b>two <i>three</i></b> four</p>") == "one two three four"


def test_the_text_is_in_normal_form_c_across_elements() -> None:
    assert text_of("<p>cafe\u0301 <b>e</b>\u0301</p>") == "café é"


def test_runs_of_white_space_become_one_space() -> None:
    assert text_of("<p>a \n\t b&nbsp;&nbsp; c\u2003\u3000d</p>") == "a b c d"


def test_white_space_is_not_doubled_where_elements_meet() -> None:
    assert text_of("<p>a <b> b </b> c</p>") == "a b c"


def test_white_space_inside_pre_is_kept() -> None:
    assert text_of("<p>x</p><pre>a  b\n    c\u00a0d\te</pre>") == "x\n\na  b\n    c\u00a0d\te"


def test_br_is_a_newline() -> None:
    assert text_of("<p>a<br>b <br> c</p>") == "a\nb\nc"


@pytest.mark.parametrize("tag", ["div", "section", "details"])
def test_a_block_begins_on_a_new_line(tag: str) -> None:
    assert text_of(f"a<{tag}>b</{tag}>c") == "a\nb\nc"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li>a</li><li>b</li></ul>", "a\nb"),
        ("<dl><dt>a</dt><dd>b</dd></dl>", "a\nb"),
        ("<figure>a<figcaption>b</figcaption></figure>", "a\nb"),
        ("<details><summary>a</summary>b</details>", "a\nb"),
        ("a<hr>b", "a\nb"),
        ("<table><tbody><tr><td>a</td></tr><tr><td>b</td></tr></tbody></table>", "a\nb"),
        ("<table><caption>a</caption><tbody><tr><td>b</td></tr></tbody></table>", "a\nb"),
    ],
)
def test_an_item_a_term_a_caption_a_summary_a_rule_and_a_row_begin_on_a_new_line(html: str, expected: str) -> None:
    assert text_of(html) == expected


@pytest.mark.parametrize("tag", ["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "figure"])
def test_paragraphs_headings_quotes_code_and_figures_are_set_off_by_one_blank_line(tag: str) -> None:
    assert text_of(f"a<{tag}>b</{tag}>c") == "a\n\nb\n\nc"


@pytest.mark.parametrize("html", ["<ul><li>b</li></ul>", "<ol><li>b</li></ol>", "<dl><dd>b</dd></dl>"])
def test_lists_are_set_off_by_one_blank_line(html: str) -> None:
    assert text_of(f"<div>a{html}c</div>") == "a\n\nb\n\nc"


def test_tables_are_set_off_by_one_blank_line() -> None:
    assert text_of("<div>a<table><tbody><tr><td>b</td></tr></tbody></table>c</div>") == "a\n\nb\n\nc"


def test_nested_blocks_leave_one_blank_line() -> None:
    assert text_of("<blockquote><p>a</p></blockquote><div><div><p>b</p></div></div>") == "a\n\nb"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("<tr><th>a</th><td>b</td><td>c</td></tr>", "a\tb\tc"),
        ("<tr><td>a</td><td>b</td></tr><tr><td></td><td>c</td></tr>", "a\tb\n\tc"),
        ("<tr><td>a</td><td></td><td>b</td></tr>", "a\t\tb"),
        ("<tr><td>a</td><td></td></tr><tr><td></td></tr><tr><td>b</td></tr>", "a\nb"),
        ("<tr><td><p>a</p></td><td><p>b</p><p>c</p></td><td>d</td></tr>", "a\tb\n\nc\td"),
        ("<tr>\n<td> a </td>\n<td> b </td>\n</tr>", "a\tb"),
    ],
)
def test_cells_of_a_row_are_joined_by_a_tab(rows: str, expected: str) -> None:
    assert text_of(f"<table><tbody>{rows}</tbody></table>") == expected


def test_images_contribute_nothing() -> None:
    assert text_of('<p>a<img src="x.png" alt="b" title="c">d</p><figure><img src="y.png"></figure>') == "ad"


def test_there_is_no_white_space_at_either_end() -> None:
    assert text_of("<br> <pre>  a  \n\n</pre><p> </p><hr>") == "a"


@pytest.mark.parametrize(
    "html",
    [
        "a<br><br><br><br>b",
        "<pre>a\n\n\n\n\nb</pre>",
        "<p>a</p><br><br><p>b</p>",
        "<pre>a\n\n\n</pre><p>b</p>",
    ],
)
def test_there_are_never_three_newlines_in_a_row(html: str) -> None:
    assert text_of(html) == "a\n\nb"


def test_escaped_characters_come_back_as_themselves() -> None:
    assert text_of("<p>a &lt;b&gt; &amp;amp; &amp;lt; \"'</p>") == "a <b> &amp; &lt; \"'"


def test_an_empty_article_has_an_empty_text() -> None:
    assert text_of("<p> </p><img src=x>") == ""


def test_the_type_refuses_a_text_that_is_not_canonical() -> None:
    for text in (" a", "a\n", "a\n\n\nb", "e\u0301"):
        with pytest.raises(ValueError, match="canonical text"):
            CanonicalText(text)


def test_a_letter_with_a_hundred_thousand_marks_is_normalised_at_once() -> None:
    tower = "a" + "\u0301\u0323" * 100_000
    assert normalise(tower, "NFC") == "ạ" + "\u0323" * 99_999 + "\u0301" * 100_000
