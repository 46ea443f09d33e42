"""PDFs that tests make: with columns, divided words, ligatures, Chinese, Hebrew, forms, scans; and hostile ones."""

import io
import random
import zlib
from collections.abc import Sequence
from typing import Any, Final

from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader, simpleSplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
LEADING: Final = 14
_WORDS: Final = tuple(
    word
    for line in (
        "river stone morning letter window garden winter paper bridge market silver evening harbour village mountain",
        "teacher journey kitchen weather station library painter sailor captain orchard meadow lantern thunder whisper",
        "candle blanket bottle circle corner dinner engine fabric gentle honest island jacket ladder mirror narrow",
        "orange pocket quiet ribbon signal temple useful valley wooden yellow zebra and then with from that which",
    )
    for word in line.split()
)


class PdfWriter:
    """A canvas that remembers nothing and draws lines of text."""

    def __init__(self, **options: Any) -> None:
        self._out = io.BytesIO()
        self.canvas = Canvas(self._out, pagesize=A4, invariant=1, **options)

    def lines(
        self, lines: Sequence[str], x: float = 72, top: float = 760, *, size: float = 11, font: str = "Times-Roman"
    ) -> float:
        """Each below the one before; where the next would stand."""
        self.canvas.setFont(font, size)
        for line in lines:
            self.canvas.drawString(x, top, line)
            top -= size * LEADING / 11
        return top

    def finish(self) -> bytes:
        self.canvas.save()
        return self._out.getvalue()


def make_words(count: int, seed: int = 1) -> list[str]:
    """A text that repeats nothing for long: sentences of eight to fifteen words."""
    chosen = random.Random(seed)
    words: list[str] = []
    while len(words) < count:
        sentence = chosen.choices(_WORDS, k=chosen.randint(8, 15))
        words += [sentence[0].capitalize(), *sentence[1:-1], f"{sentence[-1]}."]
    return words[:count]


def wrap(words: Sequence[str], width: int) -> list[str]:
    """Lines of about so many letters, as wide as each other."""
    lines: list[str] = simpleSplit(" ".join(words), "Times-Roman", 11, 5.1 * width)
    return lines


def book_pdf(
    pages: int, *, title: str | None = None, image_bytes: int = 0, seed: int = 1, is_packed: bool = True
) -> bytes:
    """A single column, with header, footer and outline. `image_bytes`: of an image on each page that does not pack."""
    writer = PdfWriter(pageCompression=int(is_packed))
    canvas = writer.canvas
    if title:
        canvas.setTitle(title)
    for number in range(1, pages + 1):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, HEIGHT - 40, "A Book of Rivers")
        canvas.drawCentredString(WIDTH / 2, 30, f"Page {number} of {pages}")
        if number % 10 == 1:
            canvas.bookmarkPage(f"p{number}")
            canvas.addOutlineEntry(f"Chapter {number // 10 + 1}", f"p{number}", 0)
        writer.lines(wrap(make_words(400, seed + number), 85))
        if image_bytes:
            canvas.drawImage(_noise(image_bytes, number), 72, 60, 100, 60)
        canvas.showPage()
    return writer.finish()


def _noise(size: int, seed: int) -> ImageReader:
    side = max(1, int((size / 3) ** 0.5))
    return ImageReader(Image.frombytes("RGB", (side, side), random.Random(seed).randbytes(side * side * 3)))


def two_columns(words: Sequence[str], *, by_rows: bool, per_page: int = 45) -> bytes:
    """As a journal sets it, under a title over both columns; written row by row or column by column."""
    writer = PdfWriter()
    lines = wrap(words, 42)
    top = writer.lines(["Rivers of the North and the Towns beside them"], size=20, top=780) - 10
    while lines:
        page, lines = lines[: 2 * per_page], lines[2 * per_page :]
        left, right = page[:per_page], page[per_page:]
        if by_rows:
            for row, line in enumerate(left):
                writer.lines([line], 60, top - row * LEADING)
                if row < len(right):
                    writer.lines([right[row]], 310, top - row * LEADING)
        else:
            writer.lines(left, 60, top)
            writer.lines(right, 310, top)
        writer.canvas.showPage()
        top = 760
    return writer.finish()


def simple_pdf(*lines: str, title: str | None = None) -> bytes:
    writer = PdfWriter()
    if title:
        writer.canvas.setTitle(title)
    writer.lines(lines or ["One line of text that a test reads."])
    return writer.finish()


def chinese_pdf(lines: Sequence[str]) -> bytes:
    """With a font that is not in the file, as many Chinese files have."""
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    writer = PdfWriter()
    writer.lines(lines, font="STSong-Light")
    return writer.finish()


def true_type_pdf(lines: Sequence[str], font: str, *, from_right: bool = False) -> bytes:
    """With a font from a file: letters of any script, and ligatures. From the right: in the order they are seen."""
    pdfmetrics.registerFont(TTFont("kept-test", font))
    writer = PdfWriter()
    writer.canvas.setFont("kept-test", 11)
    for row, line in enumerate(lines):
        y = 760 - row * LEADING
        if from_right:
            writer.canvas.drawRightString(520, y, line[::-1])
        else:
            writer.canvas.drawString(72, y, line)
    return writer.finish()


def scanned_pdf(pages: int = 2) -> bytes:
    writer = PdfWriter()
    for number in range(pages):
        writer.canvas.drawImage(_noise(30_000, number), 0, 0, WIDTH, HEIGHT)
        writer.canvas.showPage()
    return writer.finish()


def form_pdf() -> bytes:
    writer = PdfWriter()
    writer.lines(["Application for a fishing licence", "Name of the applicant:"])
    writer.canvas.acroForm.textfield(name="name", value="Ann Example", x=200, y=730, width=200, height=20)
    writer.canvas.acroForm.checkbox(name="agree", x=72, y=700, size=20)
    return writer.finish()


def encrypted_pdf(user_password: str) -> bytes:
    writer = PdfWriter(encrypt=_encryption(user_password))
    writer.lines(["A secret that only the password opens."])
    return writer.finish()


def _encryption(user_password: str) -> Any:
    from reportlab.lib.pdfencrypt import StandardEncryption

    return StandardEncryption(user_password, ownerPassword="owner", strength=128)


# --- written by hand ------------------------------------------------------------------------------------------------


def raw_pdf(*objects: bytes, root: int = 1, extra: bytes = b"") -> bytes:
    """Objects 1, 2, … as they are given, with a table of where they are."""
    out = bytearray(b"%PDF-1.7\n" + extra)
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<</Size %d/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, root, start)
    return bytes(out)


def stream(content: bytes, *, is_packed: bool = False, entries: bytes = b"") -> bytes:
    data = zlib.compress(content, 9) if is_packed else content
    packed = b"/Filter/FlateDecode" if is_packed else b""
    return b"<</Length %d%s%s>>\nstream\n%s\nendstream" % (len(data), packed, entries, data)


FONT: Final = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def one_page(content: bytes, *, catalog: bytes = b"", page: bytes = b"", more: Sequence[bytes] = ()) -> bytes:
    """A page that shows what its content stream (object 4) says; `more` are the objects from 6 on."""
    return raw_pdf(
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>%s>>" % page,
        content,
        FONT,
        *more,
    )


def text_stream(text: bytes) -> bytes:
    return stream(b"BT /F1 12 Tf 72 720 Td (%s) Tj ET" % text)


def many_pages(count: int) -> bytes:
    """All of them show the same content."""
    kids = b" ".join(b"%d 0 R" % number for number in range(5, 5 + count))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 3 0 R/Resources<</Font<</F1 4 0 R>>>>>>"
    return raw_pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count),
        text_stream(b"The same words on every page of this file"),
        FONT,
        *[page] * count,
    )


def circular_outline() -> bytes:
    """An outline whose entries follow each other for ever."""
    return one_page(
        text_stream(b"An outline without end"),
        catalog=b"/Outlines 6 0 R",
        more=(
            b"<</Type/Outlines/First 7 0 R/Last 8 0 R/Count 2>>",
            b"<</Title(First)/Parent 6 0 R/Next 8 0 R/First 7 0 R/Dest[3 0 R/Fit]>>",
            b"<</Title(Second)/Parent 6 0 R/Next 7 0 R/Dest[3 0 R/Fit]>>",
        ),
    )


def stream_bomb(size: int = 2_000_000_000) -> bytes:
    """A page whose content is packed a thousand to one, twice."""
    once = zlib.compressobj(1)
    block = b" " * 1_000_000
    packed = b"".join(once.compress(block) for _ in range(size // len(block))) + once.flush()
    twice = zlib.compress(packed, 9)
    content = b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>\nstream\n%s\nendstream" % (len(twice), twice)
    return one_page(content)


def object_stream_bomb(size: int = 1_500_000_000) -> bytes:
    """Objects of the file in a stream that is packed a thousand to one."""
    packer = zlib.compressobj(1)
    block = b"1 " * 500_000
    packed = b"".join(packer.compress(block) for _ in range(size // len(block))) + packer.flush()
    bomb = b"<</Type/ObjStm/N 1/First 5/Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream" % (len(packed), packed)
    return one_page(bomb, more=(bomb,))


def font_bomb(size: int = 1_500_000_000) -> bytes:
    """A font whose program and whose table of letters are packed a thousand to one."""
    packer = zlib.compressobj(1)
    block = b"\0" * 1_000_000
    packed = b"".join(packer.compress(block) for _ in range(size // len(block))) + packer.flush()
    program = b"<</Length %d/Length1 %d/Filter/FlateDecode>>\nstream\n%s\nendstream" % (len(packed), size, packed)
    return raw_pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        text_stream(b"Words in a font that is a bomb"),
        b"<</Type/Font/Subtype/TrueType/BaseFont/Bomb/FirstChar 32/LastChar 126/Widths[%s]"
        b"/FontDescriptor 6 0 R/ToUnicode 8 0 R>>" % (b"500 " * 95),
        b"<</Type/FontDescriptor/FontName/Bomb/Flags 32/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800"
        b"/Descent -200/CapHeight 700/StemV 80/FontFile2 7 0 R>>",
        program,
        program,
    )


def nested_drawings(levels: int) -> bytes:
    """Each shows the next one ten times: 10 to the power of `levels` words in all."""
    first = 6
    forms = [
        stream(
            b"/X Do " * 10,
            entries=b"/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</XObject<</X %d 0 R>>>>"
            % (first + level + 1),
        )
        for level in range(levels)
    ]
    last = stream(
        b"BT /F1 12 Tf 72 720 Td (word) Tj ET",
        entries=b"/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>",
    )
    return raw_pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>",
        stream(b"/X Do"),
        FONT,
        *forms,
        last,
    )
