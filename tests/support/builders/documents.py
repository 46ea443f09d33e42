"""Reading documents in a test, and how much of a text came out in its order."""

import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from difflib import SequenceMatcher
from typing import Final
from uuid import UUID

from kept.content.documents.composing import FileDetails
from kept.content.documents.document import Document, DocumentFailed
from kept.content.documents.pdf import open_pdf, read_pdf
from kept.domain.document import DocumentType
from kept.subprocesses.documents import DocumentReader, DocumentReaders

MIB: Final = 1024 * 1024
MEDIA: Final = UUID(int=7)
URL: Final = "https://files.example/shelf/report_2020.pdf"
DETAILS: Final = FileDetails(URL, MEDIA, "report_2020.pdf")
READERS: Final = DocumentReaders(max_bytes=50 * MIB, seconds=60.0, memory_bytes=1024 * MIB)
# Chinese and Japanese have no spaces: there each letter counts.
_WORD: Final = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]|[^\W\u2e80-\u9fff\uf900-\ufaff]+")


def read_pdf_here(data: bytes) -> Document:
    """In this process: for files that tests have made."""
    outcome = try_pdf_here(data)
    assert isinstance(outcome, Document), outcome
    return outcome


def try_pdf_here(data: bytes) -> Document | DocumentFailed:
    pdf = open_pdf(data)
    return pdf if isinstance(pdf, DocumentFailed) else read_pdf(pdf, DETAILS, lambda: False)


def paragraphs(document: Document) -> list[str]:
    return document.article.text.text.split("\n\n")


@asynccontextmanager
async def open_reader(data: bytes, readers: DocumentReaders = READERS) -> AsyncIterator[DocumentReader]:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        async with readers.start(file) as reader:
            yield reader


async def read_in_child(
    data: bytes, type: DocumentType = DocumentType.PDF, readers: DocumentReaders = READERS
) -> Document | DocumentFailed:
    async with open_reader(data, readers) as reader:
        return await reader.read(type, url=URL, media_id=MEDIA, file_name="report_2020.pdf")


def share_in_order(source: str, found: str) -> float:
    """The share of the source's words that stand in `found` in the same order."""
    wanted, given = _WORD.findall(source), _WORD.findall(found)
    matcher = SequenceMatcher(None, wanted, given, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / max(1, len(wanted))
