"""Documents read in a killable child: whatever a file does, reading it ends in time and says what is wrong."""

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final, cast

import psutil
import pytest

from kept.content.documents.document import Document, DocumentFailed
from kept.content.images.format import ImageFormat, sniff_image
from kept.domain.document import DocumentProblem, DocumentType
from kept.subprocesses.documents import LOST, TOO_SLOW, DocumentReader
from support.builders.documents import MEDIA, MIB, READERS, URL, open_reader, read_in_child
from support.builders.epub_files import epub
from support.builders.pdf_files import (
    book_pdf,
    chinese_pdf,
    circular_outline,
    font_bomb,
    form_pdf,
    make_words,
    many_pages,
    nested_drawings,
    object_stream_bomb,
    one_page,
    raw_pdf,
    scanned_pdf,
    simple_pdf,
    stream_bomb,
    text_stream,
    two_columns,
)
from support.hostile.fuzzing import mutate_bytes, mutate_file, seeds

pytestmark = pytest.mark.requirement("Kept", "PDF, EPUB, images, plain text and Markdown are stored and read")

# Of the process for a bomb, and what the bomb unpacks to.
SMALL: Final = replace(READERS, memory_bytes=200 * MIB)
BOMB: Final = 300_000_000


async def test_each_type_of_document_is_read() -> None:
    files = {
        DocumentType.PDF: book_pdf(2, title="A Book of Rivers"),
        DocumentType.EPUB: epub(),
        DocumentType.TEXT: b"A Book of Rivers\n\nThe text.",
        DocumentType.MARKDOWN: b"# A Book of Rivers\n\nThe *text*.",
    }
    for type, data in files.items():
        document = await read_in_child(data, type)
        assert isinstance(document, Document), document
        assert (document.type, document.article.title) == (type, "A Book of Rivers")
        assert document.has_text
        assert (document.thumbnail is not None) == (type in {DocumentType.PDF, DocumentType.EPUB})


async def test_pages_are_drawn_with_and_without_reading_first() -> None:
    async with open_reader(book_pdf(3)) as reader:
        drawn = [await reader.draw_page(page, 200) for page in (1, 3, 4)]
        assert [sniff_image(image) if image else None for image in drawn] == [ImageFormat.WEBP, ImageFormat.WEBP, None]
        assert isinstance(await reader.read(DocumentType.PDF, url=URL, media_id=MEDIA), Document)
        assert await reader.draw_page(2, 200)


async def test_images_of_a_book_are_read() -> None:
    async with open_reader(epub()) as reader:
        document = await reader.read(DocumentType.EPUB, url=URL, media_id=MEDIA)
        assert isinstance(document, Document)
        (image,) = document.article.images
        assert (await reader.read_image(image.origin_url) or b"").startswith(b"\x89PNG")
        assert await reader.read_image("https://in-file.invalid/none") is None


async def test_a_file_with_too_many_bytes_is_too_large() -> None:
    failed = await read_in_child(book_pdf(2), readers=replace(READERS, max_bytes=1000))
    assert isinstance(failed, DocumentFailed)
    assert (failed.problem, failed.is_transient) == (DocumentProblem.TOO_LARGE, False)


@pytest.mark.long
async def test_two_hundred_pages_of_twenty_megabytes_take_little() -> None:
    """In processor time, for other tests run beside it; drawing the thumbnail and starting the process included."""
    data = book_pdf(200, image_bytes=84_000)
    assert len(data) > 20_000_000
    async with open_reader(data) as reader:
        document = await reader.read(DocumentType.PDF, url=URL, media_id=MEDIA)
        assert isinstance(document, Document)
        assert (document.page_count, document.is_cut) == (200, False)
        assert reader.pid is not None
        process = psutil.Process(reader.pid)
        used, peak = process.cpu_times(), read_peak_bytes(process.pid)
    print(f"{used.user + used.system:.2f} s, {peak / MIB:.0f} MiB")
    assert used.user + used.system < 3
    assert peak < 300 * MIB


def read_peak_bytes(pid: int) -> int:
    told = Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2]
    return int(told.split()[0]) * 1024


@pytest.mark.parametrize("make", [stream_bomb, object_stream_bomb, font_bomb])
async def test_a_bomb_ends_the_process_that_reads_it_and_nothing_else(make: Callable[[int], bytes]) -> None:
    outcome = await read_in_child(make(BOMB), readers=SMALL)
    if isinstance(outcome, DocumentFailed):
        assert outcome.problem in {DocumentProblem.BROKEN, DocumentProblem.TOO_LARGE}
        assert not outcome.is_transient
    assert isinstance(await read_in_child(simple_pdf()), Document)


async def test_a_file_that_multiplies_without_end_ends() -> None:
    assert isinstance(await read_in_child(nested_drawings(40), readers=SMALL), DocumentFailed)


async def test_what_takes_longer_than_its_time_is_killed_and_may_be_tried_again() -> None:
    async with open_reader(book_pdf(2), replace(READERS, seconds=0.001)) as reader:
        failed = await reader.read(DocumentType.PDF, url=URL, media_id=MEDIA)
        assert isinstance(failed, DocumentFailed)
        assert (failed.problem, failed.is_transient) == (DocumentProblem.TOO_LARGE, True)
        assert reader.is_lost
        assert await reader.draw_page(1, 100) is None


async def test_a_pdf_that_is_also_a_page_is_a_pdf() -> None:
    page = b"<html><body><script>alert(1)</script><!--\n"
    data = page + raw_pdf(*_objects(), extra=b"<h1>Not this</h1>\n") + b"--></body></html>"
    document = await read_in_child(data)
    assert isinstance(document, Document)
    assert document.article.text.text == "The words of the file"


def _objects() -> tuple[bytes, ...]:
    return (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        text_stream(b"The words of the file"),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )


async def test_scripts_and_actions_of_a_file_do_nothing(tmp_path: Path) -> None:
    marker = tmp_path / "launched"
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {marker}\n")
    program.chmod(0o755)
    visits: list[object] = []
    server = await asyncio.start_server(lambda _, writer: visits.append(writer), "127.0.0.1", 0)
    home = b"http://127.0.0.1:%d/" % server.sockets[0].getsockname()[1]
    script = b"<</S/JavaScript/JS(app.launchURL\\('%s'\\);this.submitForm\\('%s'\\);)>>" % (home, home)
    launch = b"<</S/Launch/F(%s)/NewWindow true>>" % str(program).encode()
    data = one_page(
        text_stream(b"The words of the file"),
        catalog=b"/OpenAction 6 0 R/AA<</WC 7 0 R>>/Names<</JavaScript<</Names[(a) 6 0 R]>>>>"
        b"/AcroForm<</Fields[8 0 R]>>",
        page=b"/AA<</O 6 0 R/C 7 0 R>>/Annots[8 0 R]",
        more=(
            script,
            launch,
            b"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(v)/Rect[0 0 50 50]/A<</S/URI/URI(%s)>>/AA<</K 6 0 R/F 6 0 R>>>>"
            % home,
        ),
    )
    async with server, open_reader(data) as reader:
        document = await reader.read(DocumentType.PDF, url=URL, media_id=MEDIA)
        assert isinstance(document, Document)
        assert document.article.text.text == "The words of the file"
        assert await reader.draw_page(1, 300)
    assert not visits
    assert not marker.exists()


# --- fuzzing --------------------------------------------------------------------------------------------------------


SEEDS: Final[tuple[tuple[DocumentType, bytes], ...]] = (
    (DocumentType.PDF, book_pdf(3, title="A Book", is_packed=False)),
    (DocumentType.PDF, book_pdf(2)),
    (DocumentType.PDF, two_columns(make_words(300), by_rows=True)),
    (DocumentType.PDF, chinese_pdf(["江边的小城有一座老桥", "冬天的早晨"])),
    (DocumentType.PDF, form_pdf()),
    (DocumentType.PDF, scanned_pdf(1)),
    (DocumentType.PDF, circular_outline()),
    (DocumentType.PDF, many_pages(12)),
    (DocumentType.EPUB, epub()),
    (DocumentType.EPUB, epub(has_navigation=False)),
)
Mutation = tuple[str, DocumentType, bytes]
FUZZED: Final = replace(READERS, seconds=20.0, memory_bytes=512 * MIB)


class Fuzzer:
    """Reads one file after the other in the same process, until one of them ends it."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.outcomes = 0
        self.lost = 0

    async def run(self, mutations: Iterator[Mutation]) -> None:
        rest = list(mutations)
        while rest:
            async with FUZZED.start(self.file) as reader:
                rest = rest[await self.read_until_lost(reader, rest) :]

    async def read_until_lost(self, reader: DocumentReader, rest: list[Mutation]) -> int:
        for count, (name, type, data) in enumerate(rest, 1):
            self.file.seek(0)
            self.file.truncate()
            self.file.write(data)
            self.file.flush()
            outcome = await reader.read(type, url=URL, media_id=MEDIA)
            assert isinstance(outcome, Document | DocumentFailed), name
            self.outcomes += 1
            if isinstance(outcome, DocumentFailed) and outcome.message in {TOO_SLOW.message, LOST.message}:
                self.lost += 1
                return count
        return len(rest)


def mutate(count: int) -> Iterator[Mutation]:
    for number, (name, chance) in enumerate(seeds("documents", count)):
        type, data = SEEDS[number % len(SEEDS)]
        change = mutate_file if type is DocumentType.EPUB else mutate_bytes
        yield name, type, change(data, chance)


@pytest.mark.parametrize("count", [60, pytest.param(1_000, marks=pytest.mark.long)])
async def test_every_damaged_file_ends_in_a_final_state(count: int) -> None:
    with tempfile.TemporaryFile() as file:
        fuzzer = Fuzzer(cast("BinaryIO", file))
        await fuzzer.run(mutate(count))
    assert fuzzer.outcomes == count
    assert fuzzer.lost <= count // 20, "a process of its own for one file in twenty would be a bug of ours"
    assert isinstance(await read_in_child(simple_pdf()), Document)
