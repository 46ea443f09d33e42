"""PDF files: their text by pages, what they say of themselves, and images of their pages, by PDFium.

PDFium runs on hostile bytes here: call it in a killable process (`subprocesses.workers`). Nothing in a file
runs: no form environment is made, which is what would run a file's scripts and actions, and PDFium's builds for Python
have no JavaScript engine at all.
"""

import ctypes
import io
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from itertools import islice
from typing import Final

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError, PdfPage

from kept.content.article.article import Article
from kept.content.documents.composing import (
    COULD_NOT_BE_READ,
    MAX_CHARACTERS,
    FileDetails,
    clean_language,
    clean_name,
    clean_title,
    compose_article,
)
from kept.content.documents.document import Document, DocumentFailed
from kept.content.documents.pdf_columns import order_lines
from kept.content.documents.pdf_lines import find_edges, read_lines
from kept.content.documents.pdf_paragraphs import (
    PageLines,
    Paragraph,
    Vocabulary,
    heading_level,
    join_lines,
    take_out_running_heads,
    usual_height,
)
from kept.content.documents.scripts import runs_from_right_to_left
from kept.content.page.dates import parse_page_date
from kept.content.page.description import PageMetadata
from kept.domain.document import DocumentProblem, DocumentType, OutlineEntry, PageSize

ENCRYPTED: Final = "This PDF is protected with a password."
# Only the first pages are read; the others are counted.
MAX_PAGES: Final = 2_000
MAX_OUTLINE: Final = 1_000
MAX_OUTLINE_DEPTH: Final = 6
_ENCRYPTED: Final = (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
# Titles that programs give by themselves.
_NO_TITLE: Final = re.compile(
    r"untitled.{0,20}|unknown|document\d{0,4}|microsoft (?:word|powerpoint|excel) - .*"
    r"|.{0,200}\.(?:docx?|odt|tex|dvi|pdf|indd|pages|pptx?|xlsx?|rtf|html?|ps|qxd)|[\W\d_]*",
    re.IGNORECASE | re.DOTALL,
)
_NO_AUTHOR: Final = frozenset({"anonymous", "unknown", "user", "admin", "administrator", "author", "root", "owner"})
_DATE: Final = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?'?)?")


@dataclass(slots=True)
class PdfText:
    """What was read of the pages."""

    pages: list[list[Paragraph]] = field(default_factory=list)
    sizes: list[PageSize] = field(default_factory=list)
    body_height: float = 0.0
    running_text: str = ""

    @property
    def has_text(self) -> bool:
        return any(self.pages) or bool(self.running_text)


def open_pdf(data: bytes) -> PdfDocument | DocumentFailed:
    try:
        return PdfDocument(data)
    except PdfiumError as error:
        if error.err_code in _ENCRYPTED:
            return DocumentFailed(DocumentProblem.ENCRYPTED, ENCRYPTED)
        return DocumentFailed(DocumentProblem.BROKEN, COULD_NOT_BE_READ)


def read_pdf(pdf: PdfDocument, details: FileDetails, is_time_up: Callable[[], bool]) -> Document | DocumentFailed:
    """Read a PDF's text, up to a number of pages and characters, or until time is up."""
    text = read_text(pdf, is_time_up)
    metadata = read_pdf_metadata(pdf, text, details)
    article = compose_article(write_pages(text), metadata, details)
    if not isinstance(article, Article):
        return article
    return Document(
        DocumentType.PDF,
        article,
        page_count=len(pdf),
        page_sizes=tuple(text.sizes),
        outline=tuple(read_outline(pdf)),
        running_text=text.running_text,
        has_text=text.has_text,
        is_cut=len(text.pages) < len(pdf),
    )


# --- text -----------------------------------------------------------------------------------------------------------


def read_text(pdf: PdfDocument, is_time_up: Callable[[], bool]) -> PdfText:
    pages: list[PageLines] = []
    sizes: list[PageSize] = []
    characters = 0
    for page, size in _read_pages(pdf):
        pages.append(page)
        sizes.append(size)
        characters += sum(len(line.text) for line in page.lines)
        if characters > MAX_CHARACTERS or is_time_up():
            break
    kept, running_text = take_out_running_heads(pages)
    body_height = usual_height(kept)
    ordered = [join_lines(order_lines(lines), body_height) for lines in kept]
    vocabulary = Vocabulary(paragraph.text for page in ordered for paragraph in page)
    joined = [[Paragraph(vocabulary.join(each.text), each.height) for each in page] for page in ordered]
    return PdfText(joined, sizes, body_height, running_text)


def _read_pages(pdf: PdfDocument) -> Iterator[tuple[PageLines, PageSize]]:
    for number in range(min(len(pdf), MAX_PAGES)):
        try:
            page = pdf[number]
        except PdfiumError:  # a page that is missing or damaged is an empty one
            yield PageLines([], 0.0, 0.0), PageSize(595, 842)
            continue
        try:
            yield _read_page(page), _read_size(page)
        finally:
            page.close()


def _read_page(page: PdfPage) -> PageLines:
    try:
        text_page = page.get_textpage()
    except PdfiumError:
        return PageLines([], 0.0, 0.0)
    try:
        lines = read_lines(page, text_page)
    finally:
        text_page.close()
    if runs_from_right_to_left("".join(line.text for line in lines)):
        for line in lines:
            line.mirror()
    return PageLines(lines, *find_edges(page))


def _read_size(page: PdfPage) -> PageSize:
    width, height = page.get_size()
    return PageSize(_whole(width), _whole(height))


def _whole(length: float) -> int:
    return min(max(1, round(length)), 100_000) if math.isfinite(length) else 1


def write_pages(text: PdfText) -> str:
    return "".join(_write_page(page, text.body_height) for page in text.pages)


def _write_page(page: list[Paragraph], body_height: float) -> str:
    written = []
    for paragraph in page:
        level = heading_level(paragraph, body_height)
        tag = f"h{level}" if level else "p"
        written.append(f"<{tag}>{escape(paragraph.text, quote=False)}</{tag}>")
    return f"<section>{''.join(written)}</section>"


# --- what it says of itself -----------------------------------------------------------------------------------------


def read_pdf_metadata(pdf: PdfDocument, text: PdfText, details: FileDetails) -> PageMetadata:
    return PageMetadata(
        title=_find_title(pdf, text) or details.name_as_title,
        byline=_find_author(pdf),
        lang=clean_language(_read_language(pdf)),
        published_at=parse_pdf_date(_read_value(pdf, "CreationDate")),
        base_url=details.url,
    )


def _find_title(pdf: PdfDocument, text: PdfText) -> str | None:
    """Return the title in the file, else the largest words of its first page."""
    own = clean_title(_read_value(pdf, "Title"))
    if own and not _NO_TITLE.fullmatch(own):
        return own
    first = text.pages[0] if text.pages else []
    headings = [paragraph for paragraph in first if heading_level(paragraph, text.body_height)]
    largest = max(headings, key=lambda paragraph: paragraph.height, default=None)
    return clean_title(largest.text) if largest and any(map(str.isalpha, largest.text)) else None


def _find_author(pdf: PdfDocument) -> str | None:
    own = clean_name(_read_value(pdf, "Author"))
    return own if own and own.lower() not in _NO_AUTHOR else None


def _read_value(pdf: PdfDocument, key: str) -> str | None:
    try:
        value: str = pdf.get_metadata_value(key)
    except (PdfiumError, ValueError):
        return None
    return value[:2_000]


def _read_language(pdf: PdfDocument) -> str | None:
    length = pdfium.FPDFCatalog_GetLanguage(pdf.raw, None, 0)
    if not 2 < length <= 100:
        return None
    buffer = (ctypes.c_ushort * (length // 2))()
    pdfium.FPDFCatalog_GetLanguage(pdf.raw, buffer, length)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def parse_pdf_date(text: str | None) -> datetime | None:
    match = _DATE.match((text or "").strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, sign, zone_hours, zone_minutes = match.groups()
    zone = f"{sign}{zone_hours}:{zone_minutes or '00'}" if sign else "+00:00"
    time = f"{hour or '00'}:{minute or '00'}:{second or '00'}{zone}"
    return parse_page_date(f"{year}-{month or '01'}-{day or '01'}T{time}")


def read_outline(pdf: PdfDocument) -> Iterator[OutlineEntry]:
    """Yield the table of contents, without entries that lead out of the file or nowhere."""
    for bookmark in islice(pdf.get_toc(max_depth=MAX_OUTLINE_DEPTH), MAX_OUTLINE):
        dest = bookmark.get_dest()
        page = dest.get_index() if dest is not None else None
        title = clean_title(bookmark.get_title())
        if title and page is not None and 0 <= page < len(pdf):
            yield OutlineEntry(title, page + 1, bookmark.level)


# --- images of pages ------------------------------------------------------------------------------------------------

MAX_WIDTH: Final = 2_400
# An A4 page at the width that is shown has two million.
MAX_PIXELS: Final = 4_000_000
# The most pixels that WebP can hold.
MAX_SIDE: Final = 16_000
QUALITY: Final = 80


def draw_page(pdf: PdfDocument, number: int, width: int) -> bytes | None:
    """Draw a page, counted from 1, as WebP of about this width; less where the page is very high."""
    if not 1 <= number <= len(pdf):
        return None
    try:
        page = pdf[number - 1]
    except PdfiumError:
        return None
    try:
        page_width, page_height = page.get_size()
        scale = _find_scale(page_width, page_height, min(max(1, width), MAX_WIDTH))
        return None if scale is None else _draw(page, scale)
    finally:
        page.close()


def _find_scale(width: float, height: float, wanted: int) -> float | None:
    if not (0 < width < math.inf and 0 < height < math.inf):
        return None
    most = min(wanted / width, MAX_SIDE / height, math.sqrt(MAX_PIXELS / (width * height)))
    return most if most * min(width, height) >= 1 else None


def _draw(page: PdfPage, scale: float) -> bytes:
    bitmap = page.render(scale=scale, may_draw_forms=False)
    try:
        out = io.BytesIO()
        bitmap.to_pil().convert("RGB").save(out, "WEBP", quality=QUALITY, method=2)
        return out.getvalue()
    finally:
        bitmap.close()
