"""Files a person would be glad to have: whole, well formed, and nothing in them reaches out."""

import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from uuid import UUID, uuid4
from xml.etree import ElementTree

import pytest

from kept.content.article.canonical import canonical_text
from kept.content.article.sanitise import SanitisedArticle, sanitise_article
from kept.content.export_formats.article_file import ArticleFile, EmbeddedImage, list_images
from kept.content.export_formats.epub_file import as_xhtml, write_epub
from kept.content.export_formats.html_file import write_html, write_markdown, write_text
from kept.content.images.format import ImageFormat
from kept.domain.highlight import Span
from kept.services.exporting.articles import show_highlights
from support.builders.extraction_corpus import load_articles
from support.builders.highlighted import make_highlight
from support.builders.pictures import picture

pytestmark = pytest.mark.requirement(
    "Kept", "articles as files", "highlights as files: Markdown, Readwise's CSV, W3C annotations"
)

MADE_AT = datetime(2026, 5, 4, 12, tzinfo=UTC)
PAGE = """<h2>A heading &amp; more</h2><p>Text with <b>bold</b>,&nbsp;<a href="/x?a=1&amp;b=2">a link</a>, 1 &lt; 2<br>
Next.</p><ul><li>one</li><li>two</li></ul><pre>  code
    more</pre><figure><img src="/p.png" alt="A &quot;tree&quot;"><figcaption>Tree</figcaption></figure>
<img src="/lost.png" alt="Lost"><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><hr>"""


def make_file(html: str = PAGE, **fields: object) -> ArticleFile:
    media_id = UUID(int=7)
    made = sanitise_article(html, base_url="https://e.org/a", canonical_url="https://e.org/a", media_id=media_id)
    assert isinstance(made, SanitisedArticle)
    origins = {image.id: image.origin_url for image in made.images}
    pictures = {
        key: EmbeddedImage(picture(), ImageFormat.PNG) for key, url in origins.items() if url.endswith("/p.png")
    }
    file = ArticleFile(
        id=media_id,
        title='Trees <b>&</b> "birds"',
        html=made.html,
        text=str(canonical_text(made.html)),
        url="https://e.org/a?x=1&y=2",
        byline="A. Writer",
        site_name="The Site",
        lang="en-GB",
        published_at=datetime(2026, 1, 2, tzinfo=UTC),
        kept_at=datetime(2026, 5, 4, tzinfo=UTC),
        images=pictures,
        origins=origins,
    )
    return replace(file, **fields)  # type: ignore[arg-type]


def test_the_html_has_its_pictures_inside_and_a_policy_that_lets_nothing_out() -> None:
    html = write_html(make_file()).decode()
    assert html.count('src="data:image/png;base64,') == 1
    assert html.count(" src=") == 1
    assert "default-src 'none'; img-src data:; style-src 'sha256-" in html
    assert "<title>Trees &lt;b&gt;&amp;&lt;/b&gt; &quot;birds&quot;</title>" in html
    assert 'lang="en-GB"' in html
    assert "A. Writer · The Site" in html


def test_a_picture_that_could_not_be_had_becomes_a_link_to_where_it_was() -> None:
    assert '<a href="https://e.org/lost.png">Lost</a>' in write_html(make_file()).decode()


def mark(*passages: str, note: str | None = None) -> ArticleFile:
    """The file with these passages marked, each by an id of its own."""
    file = make_file()
    starts = [file.text.index(words) for words in passages]
    spans = [Span(start, start + len(words)) for start, words in zip(starts, passages, strict=True)]
    marked = [
        make_highlight(words, note, id=UUID(int=100 + number), span=span)
        for number, (words, span) in enumerate(zip(passages, spans, strict=True))
    ]
    return show_highlights(file, marked)


def test_the_html_shows_highlights_in_the_text_and_notes_below_it() -> None:
    html = write_html(mark("bold", "one", note="1 < 2 & \nmore")).decode()
    assert (
        f'<mark id="h-{UUID(int=100)}" data-highlight="{UUID(int=100)}" class="h-yellow" data-note="">bold</mark>'
        in html
    )
    below = html.partition("</main>")[2]
    assert "<h2>Notes</h2>" in below
    assert f'bold <a href="#h-{UUID(int=100)}">↑</a>' in below
    assert "<p>1 &lt; 2 &amp; <br>more</p>" in below


def test_highlights_without_notes_need_no_list_and_those_that_are_not_in_this_copy_are_in_it() -> None:
    assert "<h2>Notes</h2>" not in write_html(mark("bold")).decode()
    lost = show_highlights(make_file(), [make_highlight("<i>elsewhere", span=None)])
    assert "&lt;i&gt;elsewhere (not found in this copy)" in write_html(lost).decode()


def test_the_book_shows_highlights_and_is_well_formed() -> None:
    text = make_file().text
    book = zipfile.ZipFile(BytesIO(write_epub(mark(text, "bold", note="<&>\x07\nmore"), made_at=MADE_AT)))
    article = ElementTree.fromstring(book.read("EPUB/article-000001.xhtml"))
    pieces = list(article.iter("{http://www.w3.org/1999/xhtml}mark"))
    assert {piece.get("data-highlight") for piece in pieces} == {str(UUID(int=100)), str(UUID(int=101))}
    assert len({piece.get("id") for piece in pieces if piece.get("id")}) == 2
    assert "mark.h-red" in book.read("EPUB/style.css").decode()


def test_the_text_is_the_canonical_text_under_its_title() -> None:
    file = make_file()
    text = write_text(file).decode()
    assert text.startswith('Trees <b>&</b> "birds"\nA. Writer · The Site\nPublished 2 January 2026\nKept 4 May 2026\n')
    assert text.endswith(f"\n\n{file.text}\n")


def test_the_markdown_has_headings_lists_code_tables_links_and_pictures() -> None:
    markdown = write_markdown(make_file()).decode()
    for part in (
        '# Trees &lt;b>&&lt;/b> "birds"',
        "## A heading & more",
        "**bold**",
        "[a link](https://e.org/x?a=1&b=2)",
        "- one\n- two",
        "```\n  code\n    more\n```",
        "](https://e.org/p.png)",
        "| a | b |",
    ):
        assert part in markdown, part


def test_an_article_nested_too_deeply_for_markdown_is_still_had_as_text() -> None:
    file = make_file("<blockquote>" * 400 + "<p>Deep.</p>")
    assert b"Deep." in write_markdown(file)


def test_the_book_is_an_epub_whose_every_file_is_named_and_well_formed() -> None:
    book = zipfile.ZipFile(BytesIO(write_epub(make_file(), made_at=MADE_AT)))
    first = book.infolist()[0]
    assert (first.filename, first.compress_type, book.read("mimetype")) == ("mimetype", 0, b"application/epub+zip")
    for name in book.namelist():
        if name.endswith((".xhtml", ".opf", ".xml")):
            ElementTree.fromstring(book.read(name))
    package = ElementTree.fromstring(book.read("EPUB/package.opf"))
    manifest = {item.get("href") for item in package.iter("{http://www.idpf.org/2007/opf}item")}
    assert {f"EPUB/{href}" for href in manifest} == set(book.namelist()) - {
        "mimetype",
        "META-INF/container.xml",
        "EPUB/package.opf",
    }
    article = ElementTree.fromstring(book.read("EPUB/article-000001.xhtml"))
    [image] = list(article.iter("{http://www.w3.org/1999/xhtml}img"))
    assert f"EPUB/{image.get('src')}" in book.namelist()
    assert image.get("alt") == 'A "tree"'


def test_an_arabic_article_is_written_from_right_to_left() -> None:
    file = make_file(lang="ar-EG")
    assert '<html lang="ar-EG" dir="rtl">' in write_html(file).decode()
    with zipfile.ZipFile(BytesIO(write_epub(file, made_at=MADE_AT))) as book:
        chapter, package = (book.read(f"EPUB/{name}").decode() for name in ("article-000001.xhtml", "package.opf"))
    assert 'xml:lang="ar-EG" dir="rtl">' in chapter
    assert '<spine page-progression-direction="rtl">' in package


def test_the_same_article_gives_the_same_book() -> None:
    assert write_epub(make_file(), made_at=MADE_AT) == write_epub(make_file(), made_at=MADE_AT)


def test_control_characters_in_a_title_do_not_break_the_book() -> None:
    book = zipfile.ZipFile(BytesIO(write_epub(make_file(title="a\x07b\x00c", byline="\ud800x"), made_at=MADE_AT)))
    assert "abc" in book.read("EPUB/package.opf").decode()


def test_pictures_are_listed_in_order_and_once() -> None:
    file = make_file('<p><img src="/b"><img src="/a"><img src="/b"></p>')
    assert [file.origins[key] for key in list_images(file.html)] == ["https://e.org/b", "https://e.org/a"]


def test_every_sanitised_page_is_well_formed_as_xhtml() -> None:
    read = 0
    for source in load_articles()[:60]:
        html = source.body.decode(errors="replace")
        made = sanitise_article(html, base_url="https://e.org/", canonical_url="https://e.org/", media_id=uuid4())
        if isinstance(made, SanitisedArticle):
            ElementTree.fromstring(f"<body>{as_xhtml(str(made.html))}</body>")
            read += 1
    assert read > 30
