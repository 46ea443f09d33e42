"""EPUB books: the chapters of the spine as one article, sanitised like any page; images, cover and table of contents.

Read in a child process alone (`subprocesses.document_worker`).
"""

import hashlib
import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from kept.content.article.article import Article
from kept.content.documents.composing import COULD_NOT_BE_READ, MAX_CHARACTERS, FileDetails, compose_article
from kept.content.documents.document import Document, DocumentFailed
from kept.content.documents.epub_chapters import Chapter, ChapterLinks, read_chapter
from kept.content.documents.epub_contents import read_contents
from kept.content.documents.epub_names import resolve_name
from kept.content.documents.epub_package import Package, find_package_path, is_protected, read_package
from kept.content.import_formats.archive import DAMAGE, Archive, has_sane_directory, is_plain
from kept.domain.document import DocumentProblem, DocumentType
from kept.domain.media import IN_FILE

MIB: Final = 1024 * 1024
MAX_ENTRIES: Final = 20_000
# Of all its files: chapters are text, which packs at 3 to 30 to one.
MAX_UNPACKED_BYTES: Final = 300 * MIB
MAX_CHAPTER_BYTES: Final = 8 * MIB
MAX_IMAGE_BYTES: Final = 20 * MIB
MAX_CHAPTERS: Final = 2_000
PROTECTED: Final = "This e-book is protected against copying."
TOO_LARGE: Final = "The e-book is too large when unpacked."
_BROKEN: Final = DocumentFailed(DocumentProblem.BROKEN, COULD_NOT_BE_READ)


@dataclass(slots=True)
class Book:
    archive: Archive = field(repr=False)
    package: Package
    images: Mapping[str, str] = field(repr=False)
    """The names of its images by the URLs that stand for them."""

    def read_image(self, url: str) -> bytes | None:
        name = self.images.get(url)
        return self.archive.read(name, MAX_IMAGE_BYTES) if name else None

    def read_cover(self) -> bytes | None:
        cover = self.package.cover
        return self.archive.read(cover, MAX_IMAGE_BYTES) if cover else None


def open_book(data: bytes) -> Book | DocumentFailed:
    stream = io.BytesIO(data)
    if not has_sane_directory(stream):
        return _BROKEN
    try:
        opened = zipfile.ZipFile(stream)
    except DAMAGE:
        return _BROKEN
    entries = opened.infolist()
    if len(entries) > MAX_ENTRIES or sum(entry.file_size for entry in entries) > MAX_UNPACKED_BYTES:
        return DocumentFailed(DocumentProblem.TOO_LARGE, TOO_LARGE)
    archive = Archive(opened, {entry.filename: entry for entry in entries if is_plain(entry)})
    if is_protected(archive):
        return DocumentFailed(DocumentProblem.ENCRYPTED, PROTECTED)
    path = find_package_path(archive)
    package = read_package(archive, path) if path else None
    return _BROKEN if package is None else Book(archive, package, _name_images(archive))


def _name_images(archive: Archive) -> dict[str, str]:
    return {image_url(name): name for name in archive.entries}


def image_url(name: str) -> str:
    """An article's images have URLs; so those that came inside the book are given one."""
    return f"{IN_FILE}{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:40]}"


def read_book(book: Book, details: FileDetails, is_time_up: Callable[[], bool]) -> Document | DocumentFailed:
    names = [name for name in book.package.spine if name in book.archive.entries][:MAX_CHAPTERS]
    links = ChapterLinks({name: number for number, name in enumerate(names, 1)}, _resolver(book))
    chapters: list[Chapter] = []
    characters = 0
    for number, name in enumerate(names, 1):
        chapter = read_chapter(book.archive.read(name, MAX_CHAPTER_BYTES) or b"", name, number, links)
        chapters.append(chapter)
        characters += len(chapter.html)
        if characters > MAX_CHARACTERS or is_time_up():
            break
    if not chapters:
        return _BROKEN
    html = "".join(f"<section>{chapter.html}</section>" for chapter in chapters)
    article = compose_article(html, book.package.make_metadata(details), details)
    if not isinstance(article, Article):
        return article
    if str(article.html).count("<section>") != len(chapters):  # markup of a chapter that ends its section
        return _BROKEN
    return Document(
        DocumentType.EPUB,
        article,
        outline=read_contents(book.archive, book.package, chapters, links),
        has_text=bool(article.text.text),
        is_cut=len(chapters) < len(book.package.spine),
    )


def _resolver(book: Book) -> Callable[[str, str], str | None]:
    """From a reference in a file of the book to the URL of the image it means; None if the book has it not."""

    def resolve(reference: str, base: str) -> str | None:
        name = resolve_name(reference, base)
        return image_url(name) if name in book.archive.entries else None

    return resolve
