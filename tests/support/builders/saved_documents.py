"""Documents that tests save: small PDFs, books, texts and images, by URL and by upload."""

import io
import zipfile
from typing import Any

import aiohttp
from reportlab.pdfgen.canvas import Canvas

from support.servers.serving import Answer, Person

SENTENCE = "The harbour is quiet in the morning, and nobody speaks of the {word} that was here before."


def pdf_of(*pages: str, title: str | None = "A Book of Rivers", password: str | None = None) -> bytes:
    """One paragraph for each page, with a header that repeats and an outline."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1, encrypt=password)
    if title:
        canvas.setTitle(title)
        canvas.setAuthor("Ann Author")
    for number, text in enumerate(pages, 1):
        canvas.bookmarkPage(f"p{number}")
        canvas.addOutlineEntry(f"Chapter {number}", f"p{number}", 0)
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, 800, "Confidential draft")
        canvas.setFont("Times-Roman", 11)
        for line, words in enumerate(wrap(text)):
            canvas.drawString(72, 740 - 14 * line, words)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def wrap(text: str, width: int = 80) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def page_about(word: str) -> str:
    return " ".join([SENTENCE.format(word=word)] * 3)


def scanned_pdf() -> bytes:
    """A page without any text."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    canvas.rect(100, 100, 300, 400, fill=1)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def epub_of(*chapters: str, title: str = "The Sea Book", image: bytes | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as book:
        book.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
            '<rootfile full-path="content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        names = [f"c{number}.xhtml" for number in range(1, len(chapters) + 1)]
        manifest = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
        if image is not None:
            manifest += '<item id="pic" href="pic.png" media-type="image/png"/>'
            book.writestr("pic.png", image)
        spine = "".join(f'<itemref idref="{name}"/>' for name in names)
        book.writestr(
            "content.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title><dc:language>en</dc:language>'
            f"</metadata><manifest>{manifest}</manifest><spine>{spine}</spine></package>",
        )
        for name, chapter in zip(names, chapters, strict=True):
            book.writestr(name, f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{chapter}</body></html>')
    return out.getvalue()


async def upload_file(person: Person, data: bytes, name: str, content_type: str = "", **fields: Any) -> Answer:
    form = aiohttp.FormData(quote_fields=False)
    for field, value in fields.items():
        form.add_field(field, value)
    form.add_field("file", data, filename=name, content_type=content_type or "application/octet-stream")
    return await person.send("/api/v1/items/file", form)
