"""The text of PDFs: its order, its paragraphs, what repeats on every page; and what a file says of itself."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from pypdfium2 import PdfDocument

from kept.content.documents.document import DocumentFailed
from kept.content.documents.pdf import MAX_OUTLINE, MAX_PAGES, draw_page, open_pdf, parse_pdf_date
from kept.content.images.format import ImageFormat, sniff_image
from kept.domain.document import DocumentProblem, OutlineEntry, PageSize
from support.builders.documents import paragraphs, read_pdf_here, share_in_order, try_pdf_here
from support.builders.pdf_files import (
    PdfWriter,
    book_pdf,
    chinese_pdf,
    circular_outline,
    encrypted_pdf,
    form_pdf,
    make_words,
    many_pages,
    one_page,
    scanned_pdf,
    simple_pdf,
    stream,
    text_stream,
    true_type_pdf,
    two_columns,
    wrap,
)

DEJAVU: Final = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
needs_font = pytest.mark.skipif(not DEJAVU.exists(), reason="DejaVu Sans is not installed")


def test_a_single_column_comes_out_whole_and_in_order() -> None:
    source = " ".join(word for page in range(1, 6) for word in make_words(400, 1 + page))
    document = read_pdf_here(book_pdf(5))
    assert share_in_order(source, document.article.text.text) >= 0.98
    assert document.page_count == 5
    assert str(document.article.html).count("<section>") == 5
    assert document.page_sizes == (PageSize(595, 842),) * 5


@pytest.mark.parametrize("by_rows", [True, False])
def test_two_columns_are_read_one_after_the_other(by_rows: bool) -> None:
    words = make_words(900)
    document = read_pdf_here(two_columns(words, by_rows=by_rows))
    assert share_in_order(" ".join(words), document.article.text.text) >= 0.95
    assert document.article.title == "Rivers of the North and the Towns beside them"


def test_three_columns_written_row_by_row_are_read_one_after_the_other() -> None:
    lines = wrap(make_words(500), 28)
    rows = len(lines) // 3
    writer = PdfWriter()
    for row in range(rows):
        for column in range(3):
            writer.lines([lines[column * rows + row]], 40 + 180 * column, 760 - 14 * row)
    text = read_pdf_here(writer.finish()).article.text.text
    assert share_in_order(" ".join(lines[: 3 * rows]), text) >= 0.95


def test_a_table_is_read_row_by_row() -> None:
    writer = PdfWriter()
    for row in range(12):
        for column, word in enumerate(("Year", "Fish", "Boats")):
            writer.lines([f"{word} {row}"], 72 + 150 * column, 740 - 14 * row)
    text = " ".join(read_pdf_here(writer.finish()).article.text.text.split())
    assert "Year 3 Fish 3 Boats 3 Year 4" in text


def test_lines_that_the_file_has_from_bottom_to_top_are_read_from_the_top() -> None:
    lines = wrap(make_words(200), 80)
    writer = PdfWriter()
    for row in reversed(range(len(lines))):
        writer.lines([lines[row]], 72, 760 - 14 * row)
    assert share_in_order(" ".join(lines), read_pdf_here(writer.finish()).article.text.text) >= 0.98


def test_lines_of_a_paragraph_are_joined_and_paragraphs_are_not() -> None:
    first, second = make_words(60, 1), make_words(60, 2)
    writer = PdfWriter()
    writer.lines(wrap(second, 80), top=writer.lines(wrap(first, 80)) - 8)
    assert paragraphs(read_pdf_here(writer.finish())) == [" ".join(first), " ".join(second)]


def test_a_paragraph_begins_where_a_line_is_indented() -> None:
    first, second = wrap(make_words(60, 1), 80), wrap(make_words(60, 2), 80)
    writer = PdfWriter()
    top = writer.lines(first[:1], 90)
    top = writer.lines(first[1:], 72, top)
    top = writer.lines(second[:1], 90, top)
    writer.lines(second[1:], 72, top)
    assert len(paragraphs(read_pdf_here(writer.finish()))) == 2


def test_divided_words_are_joined_and_compounds_keep_their_hyphen() -> None:
    document = read_pdf_here(
        simple_pdf(
            "The morning was quiet, and the fisher-",
            "men went out to a well-",
            "known place. It is well-known, and Anglo-",
            "Saxon kings knew it from 1990-",
            "1995.",
        )
    )
    assert "the fishermen went" in document.article.text.text
    assert "a well-known place" in document.article.text.text
    assert "Anglo-Saxon kings" in document.article.text.text
    assert "1990-" in document.article.text.text


@needs_font
def test_ligatures_become_letters() -> None:
    document = read_pdf_here(true_type_pdf(["The e\ufb03cient o\ufb03ce on the \ufb01rst \ufb02oor"], str(DEJAVU)))
    assert document.article.text.text == "The efficient office on the first floor"


def test_chinese_lines_are_joined_without_spaces() -> None:
    lines = ["江边的小城有一座老桥，桥上总是有人走来走去，", "冬天的早晨也不例外。"]
    assert read_pdf_here(chinese_pdf(lines)).article.text.text == "".join(lines)


@needs_font
def test_hebrew_is_read_from_the_right() -> None:
    lines = ["שלום עולם זה מבחן של טקסט ארוך", "שורה שנייה של הטקסט"]
    article = read_pdf_here(true_type_pdf(lines, str(DEJAVU), from_right=True)).article
    assert article.text.text == " ".join(lines)
    assert article.dir == "rtl"


def test_a_rotated_page_is_read_as_it_is_shown() -> None:
    writer = PdfWriter()
    words = make_words(200)
    writer.canvas.setPageRotation(90)
    writer.canvas.translate(595, 0)
    writer.canvas.rotate(90)
    writer.lines(wrap(words, 100), 60, 540)
    document = read_pdf_here(writer.finish())
    assert len(paragraphs(document)) == 1
    assert share_in_order(" ".join(words), document.article.text.text) >= 0.98
    assert document.page_sizes == (PageSize(595, 842),)


def test_lines_that_are_slightly_slanted_stay_lines() -> None:
    """As a scan that somebody had recognised has them."""
    words = make_words(200)
    writer = PdfWriter()
    writer.canvas.rotate(0.7)
    writer.lines(wrap(words, 80))
    assert paragraphs(read_pdf_here(writer.finish())) == [" ".join(words)]


def test_what_repeats_at_the_edge_of_most_pages_is_kept_for_search_alone() -> None:
    document = read_pdf_here(book_pdf(5))
    assert "A Book of Rivers" not in document.article.text.text
    assert "Page 2 of 5" not in document.article.text.text
    assert document.running_text.split("\n") == ["A Book of Rivers", "Page 1 of 5"]


def test_what_repeats_in_the_middle_of_pages_stays() -> None:
    document = read_pdf_here(many_pages(4))
    assert document.article.text.text.count("The same words") == 4


def test_large_words_are_headings() -> None:
    writer = PdfWriter()
    top = writer.lines(["The Great Flood"], size=22)
    top = writer.lines(wrap(make_words(100), 80), top=top)
    top = writer.lines(["What came after"], size=15, top=top - 10)
    writer.lines(wrap(make_words(100, 2), 80), top=top)
    html = str(read_pdf_here(writer.finish()).article.html)
    assert "<h2>The Great Flood</h2>" in html
    assert "<h3>What came after</h3>" in html


# --- what a file says of itself -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "title"),
    [
        ("A History of Rivers", "A History of Rivers"),
        ("untitled", "The Great Flood"),
        ("Microsoft Word - draft.docx", "The Great Flood"),
        ("thesis.tex", "The Great Flood"),
        ("1", "The Great Flood"),
    ],
)
def test_the_title_is_the_files_own_where_it_is_one_else_the_largest_words(own: str, title: str) -> None:
    writer = PdfWriter()
    writer.canvas.setTitle(own)
    top = writer.lines(["The Great Flood"], size=22)
    writer.lines(wrap(make_words(100), 80), top=top)
    assert read_pdf_here(writer.finish()).article.title == title


def test_the_file_name_is_the_title_of_last_resort() -> None:
    assert read_pdf_here(simple_pdf()).article.title == "report 2020"


def test_author_language_and_date_are_read() -> None:
    writer = PdfWriter(lang="de-AT")
    writer.canvas.setAuthor("Ann Author")
    writer.lines(["Ein Satz."])
    article = read_pdf_here(writer.finish()).article
    assert (article.byline, article.lang) == ("Ann Author", "de-AT")
    assert article.metadata.published_at == datetime(2000, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("D:20200102030405+01'00'", datetime(2020, 1, 2, 2, 4, 5, tzinfo=UTC)),
        ("D:20200102030405Z", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("D:2020", datetime(2020, 1, 1, tzinfo=UTC)),
        ("202013", None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_dates_are_read_as_pdf_writes_them(text: str | None, moment: datetime | None) -> None:
    assert parse_pdf_date(text) == moment


def test_the_outline_is_the_table_of_contents() -> None:
    outline = read_pdf_here(book_pdf(12)).outline
    assert outline == (OutlineEntry("Chapter 1", 1, 0), OutlineEntry("Chapter 2", 11, 0))


def test_an_outline_without_end_ends() -> None:
    outline = read_pdf_here(circular_outline()).outline
    assert 0 < len(outline) <= MAX_OUTLINE


# --- states ---------------------------------------------------------------------------------------------------------


def test_a_scan_has_pages_and_no_text() -> None:
    document = read_pdf_here(scanned_pdf(2))
    assert not document.has_text
    assert document.page_count == 2
    assert str(document.article.html) == "<section></section>" * 2
    assert document.article.word_count == 0


def test_a_form_shows_its_printed_words() -> None:
    assert "Name of the applicant:" in read_pdf_here(form_pdf()).article.text.text


def test_a_password_is_named_and_an_empty_one_is_none() -> None:
    failed = try_pdf_here(encrypted_pdf("secret"))
    assert isinstance(failed, DocumentFailed)
    assert failed.problem is DocumentProblem.ENCRYPTED
    assert read_pdf_here(encrypted_pdf("")).article.text.text == "A secret that only the password opens."


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", book_pdf(3)[:1500], b"<html>%PDF-</html>"])
def test_what_is_no_whole_pdf_is_broken(data: bytes) -> None:
    failed = try_pdf_here(data)
    assert isinstance(failed, DocumentFailed)
    assert failed.problem is DocumentProblem.BROKEN


def test_a_file_without_its_table_of_objects_is_read_all_the_same() -> None:
    damaged = re.sub(rb"startxref\n\d+", b"startxref\n7", book_pdf(3))
    assert read_pdf_here(damaged).page_count == 3


def test_of_ten_thousand_pages_the_first_are_read_and_all_are_counted() -> None:
    document = read_pdf_here(many_pages(10_000))
    assert document.page_count == 10_000
    assert document.is_cut
    assert len(document.page_sizes) == str(document.article.html).count("<section>") == MAX_PAGES


def test_reading_stops_when_time_is_up() -> None:
    from kept.content.documents.pdf import read_pdf
    from support.builders.documents import DETAILS

    pdf = open_pdf(many_pages(50))
    assert isinstance(pdf, PdfDocument)
    document = read_pdf(pdf, DETAILS, lambda: True)
    assert not isinstance(document, DocumentFailed)
    assert (len(document.page_sizes), document.is_cut) == (1, True)


def test_markup_in_the_text_is_text() -> None:
    data = one_page(text_stream(b"<script>alert(1)</script> & <b>"))
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;" in str(read_pdf_here(data).article.html)


def test_words_that_stand_nowhere_do_no_harm() -> None:
    content = b"BT /F1 1e30 Tf 1e38 -1e38 Td (far) Tj ET BT /F1 12 Tf 72 700 Td (near) Tj ET"
    assert "near" in read_pdf_here(one_page(stream(content))).article.text.text


# --- images of pages ------------------------------------------------------------------------------------------------


def open_own(data: bytes) -> PdfDocument:
    pdf = open_pdf(data)
    assert isinstance(pdf, PdfDocument)
    return pdf


def test_a_page_is_drawn_as_webp() -> None:
    drawn = draw_page(open_own(book_pdf(2)), 2, 300)
    assert drawn is not None
    assert sniff_image(drawn) is ImageFormat.WEBP


@pytest.mark.parametrize("page", [0, -1, 3])
def test_a_page_that_is_not_there_is_not_drawn(page: int) -> None:
    assert draw_page(open_own(book_pdf(2)), page, 300) is None


@pytest.mark.parametrize("box", [b"0 0 1 14400", b"0 0 14400 14400", b"0 0 0 0", b"0 0 1e38 1e38", b"0 0 -5 3"])
def test_the_size_of_a_page_does_not_choose_the_size_of_its_image(box: bytes) -> None:
    data = re.sub(rb"/MediaBox\[[^]]*\]", b"/MediaBox[" + box + b"]", one_page(text_stream(b"odd")))
    drawn = draw_page(open_own(data), 1, 100_000)
    assert drawn is None or sniff_image(drawn) is ImageFormat.WEBP
