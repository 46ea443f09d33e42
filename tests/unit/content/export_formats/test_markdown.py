"""Text in an article stays text in its Markdown: no markup comes to life that the article did not have."""

import re
from html import escape
from typing import Final
from uuid import UUID

import hypothesis
import pytest
from bs4 import BeautifulSoup
from bs4.element import PreformattedString
from hypothesis import strategies
from markdown_it import MarkdownIt

from kept.content.article.canonical import canonical_text
from kept.content.article.sanitise import SanitisedArticle, sanitise_article
from kept.content.export_formats.article_file import ArticleFile
from kept.content.export_formats.html_file import write_markdown
from support.hostile.slow_texts import at_most

pytestmark = pytest.mark.requirement("Kept", "text of an article stays text in its Markdown")

HOSTILE: Final = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](javascript:alert(1))",
    "<javascript:alert(1)>",
    "[click][1] [1]: javascript:alert(1)",
    "[1]: javascript:alert(1)",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)",
    "` <script>alert(1)</script> `",
    "``` <script>alert(1)</script>",
    "~~~ <script>",
    "</code></pre><script>alert(1)</script>",
    "| <script>alert(1)</script> |",
    "\\<script>alert(1)</script>",
    "\\[click](javascript:alert(1))",
    "<!-- <script>",
    "<?php ?>",
    "<![CDATA[ <b> ]]>",
    "# heading",
    "- item",
    "+ item",
    "12. item",
    "> quote",
    "===",
    "---",
    "*bold* __bold__ ~~gone~~",
)
CONTEXTS: Final = {
    "paragraph": "<p>{}</p>",
    "after a break": "<p>first<br>{}</p>",
    "beside others": "<p>a<b>b</b>{}<i>c</i></p>",
    "heading": "<h2>{}</h2>",
    "list": "<ul><li>{}</li></ul>",
    "quote": "<blockquote><p>{}</p></blockquote>",
    "cell": "<table><tr><th>a</th></tr><tr><td>{}</td></tr></table>",
    "code": "<p>x <code>{}</code> y</p>",
    "code after a break": "<p><code>a<br>{}</code></p>",
    "block of code": "<pre>first\n{}\nlast</pre>",
    "block of code in a cell": "<table><tr><th>a</th></tr><tr><td><pre>x\n{}</pre></td></tr></table>",
    "code in a cell": "<table><tr><th>a</th></tr><tr><td><code>{}</code></td></tr></table>",
    "link": '<p><a href="https://e.org/x">{}</a></p>',
    "lowered": "<p>a<sub>{}</sub></p>",
}
MADE_BY_MARKDOWN: Final = frozenset(
    [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "blockquote",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "code",
        "pre",
        "a",
        "img",
        "em",
        "strong",
        "s",
        "br",
        "hr",
        "div",
    ]
)


def make_article(html: str, *, title: str = "Title", byline: str | None = None) -> ArticleFile:
    media_id = UUID(int=7)
    made = sanitise_article(html, base_url="https://e.org/a", canonical_url="https://e.org/a", media_id=media_id)
    assert isinstance(made, SanitisedArticle)
    origins = {image.id: image.origin_url for image in made.images}
    text = str(canonical_text(made.html))
    return ArticleFile(media_id, title, made.html, text, url="https://e.org/a", byline=byline, origins=origins)


def render(markdown: str) -> BeautifulSoup:
    """By a renderer that lets all HTML and every link through."""
    renderer = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    renderer.validateLink = lambda url: True  # type: ignore[method-assign]
    return BeautifulSoup(renderer.render(markdown), "html.parser")


def render_article(article: ArticleFile) -> BeautifulSoup:
    return render(write_markdown(article).decode())


def assert_harmless(rendered: BeautifulSoup) -> None:
    assert not rendered.find_all(string=lambda text: isinstance(text, PreformattedString))  # comments, instructions
    for element in rendered.find_all(True):
        assert element.name in MADE_BY_MARKDOWN
        assert set(element.attrs) <= {"href", "src", "alt", "title", "class", "start", "style"}
        for name in ("href", "src"):
            assert str(element.get(name, "https:")).startswith(("https:", "http:", "mailto:")), element.attrs


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("text", HOSTILE)
def test_text_stays_text(text: str, context: str) -> None:
    rendered = render_article(make_article(CONTEXTS[context].format(escape(text))))
    assert_harmless(rendered)
    assert squeeze(text) in squeeze(rendered.get_text())


@pytest.mark.parametrize("text", HOSTILE)
def test_a_title_and_its_credits_stay_text(text: str) -> None:
    rendered = render_article(make_article("<p>words</p>", title=text, byline=text))
    assert_harmless(rendered)
    heading = rendered.find("h1")
    assert heading is not None
    assert squeeze(heading.get_text()) == squeeze(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_words_of_an_image_stay_text(text: str) -> None:
    rendered = render_article(make_article(f'<p><img src="/p.png" alt="{escape(text)}"></p>'))
    assert_harmless(rendered)
    image = rendered.find("img")
    assert image is not None
    assert image.get("src") == "https://e.org/p.png"


@pytest.mark.parametrize("display", ["inline", "block"])
@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_typed_for_a_formula_makes_no_markup(text: str, display: str) -> None:
    formula = f'<math display="{display}" alttext="{escape(text)}"><mi>x</mi></math>'
    assert_harmless(render_article(make_article(f"<p>Let {formula} be.</p>")))


def test_a_formula_is_written_as_its_author_typed_it() -> None:
    assert (
        "Let $a_1^{[2]}$ be."
        in write_markdown(make_article('<p>Let <math alttext="a_1^{[2]}"><mi>a</mi></math> be.</p>')).decode()
    )
    assert (
        "Let x\\=2 be."
        in write_markdown(make_article("<p>Let <math><mi>x</mi><mo>=</mo><mn>2</mn></math> be.</p>")).decode()
    )


def test_a_footnote_of_the_article_is_no_link_in_its_markdown() -> None:
    written = write_markdown(make_article('<p>Words<a href="#n">1</a></p><p id="n">A note</p>')).decode()
    assert "Words1" in written
    assert "k-n" not in written


@pytest.mark.parametrize("path", ["/a)b", "/a(b", "/a%20b", "/a_b_c", "/a*b", "/?q=<x>", "/?a=1&lt;=2", "/a|b", "/`a`"])
def test_a_link_leads_where_it_led(path: str) -> None:
    article = make_article(f'<p><a href="https://e.org{escape(path)}">here</a></p>')
    [_, link] = render_article(article).find_all("a")
    [there] = BeautifulSoup(str(article.html), "html.parser").find_all("a")
    assert unescape_punctuation(str(link["href"])) == unescape_punctuation(str(there["href"]))


def unescape_punctuation(url: str) -> str:
    for code, character in (("%28", "("), ("%29", ")"), ("%7C", "|"), ("%60", "`"), ("%3C", "<"), ("%3E", ">")):
        url = url.replace(code, character)
    return url


def test_markup_that_ends_at_a_border_of_elements_does_not_come_to_life() -> None:
    for html in (
        "<p>&lt;<span>script&gt;alert(1)&lt;/script&gt;</span></p>",
        "<p>&lt;<sub>script&gt;</sub></p>",
        "<p>&amp;<span>lt;script&gt;</span></p>",
        '<p>!<a href="https://e.org/x">text</a></p>',
    ):
        rendered = render_article(make_article(html))
        assert_harmless(rendered)
        assert rendered.find("img") is None


def test_an_article_too_deep_for_the_converter_is_escaped_too() -> None:
    rendered = render_article(make_article("<blockquote>" * 400 + f"<p>{escape(HOSTILE[0])}</p>"))
    assert_harmless(rendered)


def test_ordinary_prose_is_left_as_it_is() -> None:
    prose = "Snow - at 3.5 m/s? R&D costs < $5 (about 40%) + tax. Mail a@b.org; see #12, 100% ~ok, e=mc2!"
    assert prose in write_markdown(make_article(f"<p>{escape(prose)} Next.</p>")).decode()


@hypothesis.given(
    strategies.text("<>[]()!`*_~|\\&#;-+=1. \n/abjs:", max_size=60), strategies.sampled_from(sorted(CONTEXTS))
)
def test_no_text_whatever_comes_to_life(text: str, context: str) -> None:
    assert_harmless(render_article(make_article(CONTEXTS[context].format(escape(text)))))


LONG: Final = {
    "a numbered list": "<ol>" + "<li>x</li>" * 20_000 + "</ol>",
    "a list": "<ul>" + "<li>x</li>" * 20_000 + "</ul>",
    "rows of a head": "<table><thead>" + "<tr><td>x</td></tr>" * 10_000 + "</thead></table>",
    "bodies of a table": "<table>" + "<tbody><tr><td>x</td></tr></tbody>" * 6_500 + "</table>",
    "lists of one item": "<ol><li>x</li></ol>" * 10_000,
    "paragraphs in many quotes": "<blockquote>" * 60 + "<p>x</p>" * 10_000 + "</blockquote>" * 60,
}


@pytest.mark.requirement("Kept", "Markdown of long lists and tables takes linear time")
@pytest.mark.parametrize("html", LONG.values(), ids=LONG.keys())
def test_long_lists_and_tables_are_written_in_linear_time(html: str) -> None:
    article = make_article(html)
    with at_most(10.0):  # processor time; a bound against what is quadratic, which takes minutes
        assert write_markdown(article).count(b"x") >= 6_500


def test_items_have_the_numbers_of_their_list() -> None:
    html = "<ol start=7><li>a</li><li></li><li>b<ol><li>c</li><li>d</li></ol></li></ol><ul><li>e</li></ul>"
    written = write_markdown(make_article(html)).decode()
    numbered = re.findall(r"^ *(\S+) ([a-e])$", written, re.MULTILINE)
    assert numbered == [("7.", "a"), ("9.", "b"), ("1.", "c"), ("2.", "d"), ("-", "e")]


def test_a_table_has_one_head() -> None:
    rows = "<tr><td>{}</td><td>x</td></tr>"
    bodies = "".join(f"<tbody>{rows.format(number)}</tbody>" for number in range(3))
    for html in (bodies, f"<thead><tr><th>h</th><th>x</th></tr></thead>{bodies}", rows.format("a") + rows.format("b")):
        written = write_markdown(make_article(f"<table>{html}</table>")).decode()
        assert written.count("| --- | --- |") == 1, written


def test_a_megabyte_of_the_worst_characters_is_escaped_in_linear_time() -> None:
    for piece in ("<", "&", "#", "&a", "~", "!", "- ", "1", "`"):
        assert write_markdown(make_article("<p>words</p>", title=piece * (200_000 // len(piece))))
