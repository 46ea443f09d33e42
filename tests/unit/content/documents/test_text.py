"""Plain text and Markdown as articles."""

from datetime import UTC, datetime

import pytest

from kept.content.documents.composing import FileDetails
from kept.content.documents.document import Document
from kept.content.documents.text import read_markdown, read_plain_text
from kept.domain.document import make_upload_url
from support.builders.documents import DETAILS, MEDIA, URL

WRAPPED = "The morning was quiet and nobody was on the river yet,\nwhich is why the two of them went out."


def plain(text: str | bytes, content_type: str | None = None) -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    document = read_plain_text(data, FileDetails(URL, MEDIA, "notes_on_rivers.txt", content_type))
    assert isinstance(document, Document)
    return document


def markdown(text: str) -> Document:
    document = read_markdown(text.encode(), DETAILS)
    assert isinstance(document, Document)
    return document


def test_empty_lines_end_paragraphs_and_wrapped_lines_are_joined() -> None:
    article = plain(f"{WRAPPED}\n\n \nThe end.").article
    assert article.text.text == " ".join(WRAPPED.split()) + "\n\nThe end."


def test_short_lines_stay_lines() -> None:
    assert plain("Whose woods\nthese are\nI think").article.text.text == "Whose woods\nthese are\nI think"


def test_listings_stay_as_they_are() -> None:
    html = str(plain("Text first.\n\n    if a < b:\n        return\n\nname     size\nriver    12").article.html)
    assert "<pre>    if a &lt; b:\n        return</pre>" in html
    assert "<pre>name     size\nriver    12</pre>" in html


def test_a_first_line_that_stands_alone_is_the_title() -> None:
    article = plain(f"Two on a River\r\n\r\n{WRAPPED}").article
    assert article.title == "Two on a River"
    assert "Two on a River" not in article.text.text


def test_else_the_file_name_is() -> None:
    assert plain(WRAPPED).article.title == "notes on rivers"


@pytest.mark.parametrize(
    ("encoding", "content_type"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", None),
        ("windows-1252", None),
        ("shift_jis", "text/plain; charset=Shift_JIS"),
    ],
)
def test_text_is_read_in_its_encoding(encoding: str, content_type: str | None) -> None:
    text = "川は静かだった。" * 10 if encoding == "shift_jis" else "Der Fluß war früh am Morgen schön grün. " * 5
    assert plain(text.encode(encoding), content_type).article.text.text == text.strip()


def test_text_that_looks_like_markup_is_text() -> None:
    assert plain("<script>alert(1)</script> & <b>").article.text.text == "<script>alert(1)</script> & <b>"


def test_a_text_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kept.content.documents.text.MAX_CHARACTERS", 6_000)
    document = plain("river " * 1_010)
    assert document.is_cut
    assert len(document.article.text.text) < 6_000


def test_an_empty_file_has_no_text() -> None:
    assert not plain("").has_text


def test_markdown_is_rendered_with_tables_and_strikethrough() -> None:
    html = str(
        markdown("Some *words*, ~~gone~~.\n\n|a|b|\n|-|-|\n|1|2|\n\n```py\na < b\n```\n\n1. x\n2. y").article.html
    )
    for part in ("<em>words</em>", "<s>gone</s>", "<td>1</td>", "<pre><code>a &lt; b\n</code></pre>", "<ol>"):
        assert part in html


def test_the_first_heading_is_the_title() -> None:
    article = markdown("# Two on a *River*\n\nThe text.").article
    assert article.title == "Two on a River"
    assert article.text.text == "The text."


def test_front_matter_says_what_the_file_is() -> None:
    article = markdown('---\ntitle: "Rivers: a list"\nauthor: Ann\ndate: 2020-01-02\nlang: en\n---\nThe text.').article
    assert (article.title, article.byline, article.lang) == ("Rivers: a list", "Ann", "en")
    assert article.metadata.published_at == datetime(2020, 1, 2, tzinfo=UTC)
    assert article.text.text == "The text."


def test_a_rule_at_the_beginning_is_no_front_matter() -> None:
    assert markdown("---\n\nThe text.").article.text.text == "The text."


def test_html_in_markdown_is_text_and_links_are_of_the_web() -> None:
    html = str(markdown("<script>alert(1)</script>\n\n[a](javascript:alert(1)) [b](/b) ![i](i.png)").article.html)
    assert "<script" not in html
    assert "javascript:alert" not in html.replace("(javascript:alert(1))", "")
    assert 'href="https://files.example/b"' in html
    assert 'src="/api/images/' in html


@pytest.mark.parametrize("text", ["[" * 20_000, "> " * 5_000 + "x", "*a" * 3_000, "- " * 5_000, "|a" * 5_000 + "\n|-"])
def test_markdown_that_nests_without_end_ends(text: str) -> None:
    markdown(text)


def test_an_uploaded_file_keeps_its_absolute_links_and_no_relative_ones() -> None:
    details = FileDetails(make_upload_url("a" * 64, "notes.md"), MEDIA, "notes.md")
    text = "[there](https://example.org/a) [here](other.md) [place](#part)\n\n![map](map.png)"
    document = read_markdown(text.encode(), details)
    assert isinstance(document, Document)
    assert 'href="https://example.org/a"' in str(document.article.html)
    assert "uploads.invalid" not in str(document.article.html)
    assert document.article.images == ()
    assert document.article.text.text.startswith("there here place")
