"""E-books: chapters in their order as one article, links and images between them, and books that are none."""

from datetime import UTC, datetime

import pytest

from kept.content.documents.document import Document, DocumentFailed
from kept.content.documents.epub import Book, open_book, read_book
from kept.domain.document import DocumentProblem, OutlineEntry
from support.builders.documents import DETAILS
from support.builders.epub_files import chapter, epub, package

CONTENTS = (OutlineEntry("One", 1, 0), OutlineEntry("Start", 1, 1), OutlineEntry("Two", 2, 0))


def open_own(data: bytes) -> Book:
    book = open_book(data)
    assert isinstance(book, Book), book
    return book


def read(data: bytes) -> Document:
    document = read_book(open_own(data), DETAILS, lambda: False)
    assert isinstance(document, Document), document
    return document


def refuse(data: bytes) -> DocumentProblem:
    book = open_book(data)
    outcome = read_book(book, DETAILS, lambda: False) if isinstance(book, Book) else book
    assert isinstance(outcome, DocumentFailed)
    return outcome.problem


def test_a_book_says_what_it_is() -> None:
    article = read(epub()).article
    assert (article.title, article.byline, article.lang) == ("A Book of Rivers", "Ann Author, Bob Writer", "en-GB")
    assert article.metadata.published_at == datetime(2019, 5, 1, tzinfo=UTC)


def test_chapters_are_sections_in_the_order_of_the_spine() -> None:
    html = str(read(epub()).article.html)
    assert html.count("<section>") == 2
    assert html.index("The First Chapter") < html.index("The Second Chapter")
    backwards = str(read(epub(more={"OEBPS/book.opf": package(("two", "one"))})).article.html)
    assert backwards.index("The Second Chapter") < backwards.index("The First Chapter")


def test_links_between_chapters_lead_within_the_article() -> None:
    html = str(read(epub()).article.html)
    assert '<a href="#k-c2-note">a note</a>' in html
    assert '<p id="k-c2-note">' in html
    assert '<a href="#k-c2">the next</a>' in html
    assert '<a id="k-c2"></a>' in html


def test_nothing_of_a_book_runs() -> None:
    html = str(read(epub()).article.html)
    assert "alert" not in html
    assert "onclick" not in html
    assert "Safe &amp; sound — really." in html


def test_images_of_the_book_are_named_and_can_be_read() -> None:
    book = open_own(epub())
    document = read_book(book, DETAILS, lambda: False)
    assert isinstance(document, Document)
    (image,) = document.article.images
    assert image.origin_url.startswith("https://in-file.invalid/")
    assert (book.read_image(image.origin_url) or b"").startswith(b"\x89PNG")
    assert book.read_image("https://in-file.invalid/other") is None
    assert (book.read_cover() or b"").startswith(b"\x89PNG")


def test_an_image_in_a_drawing_is_shown() -> None:
    cover = chapter('<svg viewBox="0 0 1 1"><image xlink:href="../images/a%20map.png"/></svg><p>Cover</p>')
    assert len(read(epub(more={"OEBPS/text/one.xhtml": cover})).article.images) == 1


@pytest.mark.parametrize("has_navigation", [True, False])
def test_contents_come_from_either_kind_of_file(has_navigation: bool) -> None:
    assert read(epub(has_navigation=has_navigation)).outline == CONTENTS


def test_without_contents_the_headings_of_chapters_are_taken() -> None:
    outline = read(epub(more={"OEBPS/nav.xhtml": "", "OEBPS/toc.ncx": ""})).outline
    assert outline == (OutlineEntry("The First Chapter", 1, 0), OutlineEntry("The Second Chapter", 2, 0))


@pytest.mark.parametrize(
    "body",
    [
        "</section></div></body><section>x",
        "<plaintext>all the rest",
        "<table><section>x</table>",
        "<svg><style><section></style></svg>",
        "<textarea><section>",
        "<math><mtext></section><section>",
        "<select><section>",
        "<title/>text after a title",
    ],
)
def test_no_markup_of_a_chapter_ends_its_section(body: str) -> None:
    document = read(epub(more={"OEBPS/text/one.xhtml": chapter(body)}))
    assert str(document.article.html).count("<section>") == 2
    assert "The Second Chapter" in document.article.text.text


def test_a_chapter_that_is_missing_or_damaged_leaves_the_others() -> None:
    document = read(epub(more={"OEBPS/text/one.xhtml": b"\xff\xfe\x00\xd8"}))
    assert "The Second Chapter" in document.article.text.text


def test_a_book_for_one_shops_readers_is_protected() -> None:
    told = (
        '<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod '
        'Algorithm="{}"/><enc:CipherData/></enc:EncryptedData></encryption>'
    )
    shop, fonts = "http://www.w3.org/2001/04/xmlenc#aes128-cbc", "http://www.idpf.org/2008/embedding"
    assert refuse(epub(more={"META-INF/encryption.xml": told.format(shop)})) is DocumentProblem.ENCRYPTED
    assert read(epub(more={"META-INF/encryption.xml": told.format(fonts)})).has_text


def test_names_that_lead_out_of_the_book_name_nothing() -> None:
    outside = package(("one",)).replace("text/one.xhtml", "../../../../etc/passwd")
    assert refuse(epub(more={"OEBPS/book.opf": outside})) is DocumentProblem.BROKEN


def test_a_book_that_is_a_bomb_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kept.content.documents.epub.MAX_UNPACKED_BYTES", 8 * 1024 * 1024)
    bomb = epub(more={"OEBPS/0.bin": b"\0" * 9 * 1024 * 1024})
    assert len(bomb) < 100_000
    assert refuse(bomb) is DocumentProblem.TOO_LARGE


def test_a_chapter_that_is_a_bomb_is_left_out() -> None:
    document = read(epub(more={"OEBPS/text/one.xhtml": b"<p>" + b"x" * 9 * 1024 * 1024}))
    assert "The Second Chapter" in document.article.text.text
    assert len(document.article.text.text) < 1000


def test_entities_that_multiply_stay_as_they_are() -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><p>&b;</p>'
    assert "lollollol" not in read(epub(more={"OEBPS/text/one.xhtml": laughs})).article.text.text


@pytest.mark.parametrize(
    "data",
    [b"", b"PK\x03\x04", epub()[:500], epub(more={"META-INF/container.xml": "", "OEBPS/book.opf": "<package/>"})],
)
def test_what_is_no_book_is_broken(data: bytes) -> None:
    assert refuse(data) is DocumentProblem.BROKEN
