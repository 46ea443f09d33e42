"""EPUB books: the chapters of the spine as one article, sanitised like any page; images, cover and table of contents.

Read in a child process alone (`subprocesses.workers`).
"""

import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.article import Article
from kept.content.documents.composing import (
    COULD_NOT_BE_READ,
    MAX_CHARACTERS,
    FileDetails,
    clean_title,
    compose_article,
)
from kept.content.documents.document import Document, DocumentFailed
from kept.content.documents.epub_package import (
    MAX_XML_BYTES,
    Package,
    find_package_path,
    is_protected,
    parse_xml,
    read_markup,
    read_package,
    resolve_name,
)
from kept.content.import_formats.archive import DAMAGE, Archive, has_sane_directory, is_plain
from kept.content.page.bounds import find_excess
from kept.domain.document import DocumentProblem, DocumentType, OutlineEntry
from kept.domain.media import IN_FILE

MIB: Final = 1024 * 1024
MAX_ENTRIES: Final = 20_000
# The most bytes of all its files: chapters are text, which packs at 3 to 30 to one.
MAX_UNPACKED_BYTES: Final = 300 * MIB
MAX_CHAPTER_BYTES: Final = 8 * MIB
MAX_IMAGE_BYTES: Final = 20 * MIB
MAX_CHAPTERS: Final = 2_000
PROTECTED: Final = "This e-book is protected against copying."
TOO_LARGE: Final = "The e-book is too large when unpacked."
_BROKEN: Final = DocumentFailed(DocumentProblem.BROKEN, COULD_NOT_BE_READ)
_SECTION: Final = re.compile(r"<(/?)section(?=[\s/>])", re.IGNORECASE)
_ABSOLUTE: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{0,20}:|//")
# Elements that have no text, and those that an HTML parser reads in ways of its own.
_REMOVED: Final = ["script", "style", "title", "template", "iframe", "noscript", "textarea", "xmp", "plaintext"]
_HEADINGS: Final = "h1, h2, h3"
MAX_HEADING: Final = 300
MAX_CONTENTS_ENTRIES: Final = 1_000
MAX_LEVEL: Final = 6
_NESTING: Final = frozenset({"ol", "navpoint"})


@dataclass(slots=True)
class Book:
    archive: Archive = field(repr=False)
    package: Package
    images: Mapping[str, str] = field(repr=False)
    """The names of its images, by the URLs that stand for them."""

    def read_image(self, url: str) -> bytes | None:
        name = self.images.get(url)
        return self.archive.read(name, MAX_IMAGE_BYTES) if name else None

    def read_cover(self) -> bytes | None:
        cover = self.package.cover
        return self.archive.read(cover, MAX_IMAGE_BYTES) if cover else None


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of a book as part of one article: its links lead to the other chapters, its images have URLs."""

    html: str = field(repr=False)
    heading: str | None


@dataclass(frozen=True, slots=True)
class ChapterLinks:
    numbers: Mapping[str, int]
    """The numbers of chapters, from 1, by their names in the zip."""
    find_image: Callable[[str, str], str | None]

    def find(self, href: str, base: str) -> str | None:
        """Return the place in the article that a link within the book leads to."""
        number = self.numbers.get(resolve_name(href, base))
        return None if number is None else f"#{place_name(number, href.partition('#')[2])}"


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
    """Return a URL for an image inside the book, since an article's images have URLs."""
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
    """Return a function from a reference in a file of the book to the URL of its image; None if the book lacks it."""

    def resolve(reference: str, base: str) -> str | None:
        name = resolve_name(reference, base)
        return image_url(name) if name in book.archive.entries else None

    return resolve


def place_name(chapter: int, name: str) -> str:
    """Return an id that is unique in the whole book."""
    return f"c{chapter}-{name}" if name else f"c{chapter}"


def read_chapter(data: bytes, name: str, number: int, links: ChapterLinks) -> Chapter:
    """Read a chapter; it is empty where it cannot be parsed within bounds."""
    markup = _SECTION.sub(r"<\1div", read_markup(data, is_xhtml=True))
    tree = LexborHTMLParser(markup) if find_excess(markup) is None else None
    body = tree.body if tree is not None else None
    if tree is None or body is None:
        return Chapter("", None)
    tree.strip_tags(_REMOVED, recursive=True)
    _show_drawn_images(body)
    for node in body.css("[id]"):
        node.attrs["id"] = place_name(number, node.attributes.get("id") or "")
    for node in body.css("a[href]"):
        _rewrite_link(node, name, links)
    for node in body.css("img"):
        _rewrite_image(node, name, links)
    heading = body.css_first(_HEADINGS)
    text = " ".join(heading.text().split())[:MAX_HEADING] if heading is not None else None
    return Chapter(f'<a id="{place_name(number, "")}"></a>{body.inner_html or ""}', text or None)


def _rewrite_link(node: LexborNode, name: str, links: ChapterLinks) -> None:
    href = (node.attributes.get("href") or "").strip()
    if not _ABSOLUTE.match(href):
        node.attrs["href"] = links.find(href, name) or "#"


def _rewrite_image(node: LexborNode, name: str, links: ChapterLinks) -> None:
    """Point an image to the book's own file, or to nothing: a book loads nothing from elsewhere."""
    source = (node.attributes.get("src") or "").strip()
    node.attrs["src"] = (links.find_image(source, name) if source else None) or ""
    if "srcset" in node.attributes:
        del node.attrs["srcset"]


def _show_drawn_images(body: LexborNode) -> None:
    """Replace drawings by the image in them, as covers often are; drawings are left out otherwise."""
    for drawing in body.css("svg"):
        image = drawing.css_first("image")
        own = image.attributes if image is not None else {}
        source = own.get("xlink:href") or own.get("href")
        shown = LexborHTMLParser("<img>").css_first("img") if source else None
        if shown is not None and source:
            shown.attrs["src"] = source
            drawing.replace_with(shown)


def read_contents(
    archive: Archive, package: Package, chapters: Sequence[Chapter], links: ChapterLinks
) -> tuple[OutlineEntry, ...]:
    """Read a book's table of contents: its navigation document, the older NCX, or else the headings of its chapters.

    `page` is the number of a chapter.
    """
    data = archive.read(package.contents, MAX_XML_BYTES) if package.contents else None
    root = parse_xml(data) if data else None
    entries = list(_read_entries(root, package.contents or "", links)) if root is not None else []
    kept = [entry for entry in entries if entry.page <= len(chapters)][:MAX_CONTENTS_ENTRIES]
    return tuple(kept) or tuple(
        OutlineEntry(chapter.heading, number, 0) for number, chapter in enumerate(chapters, 1) if chapter.heading
    )


def _read_entries(root: LexborNode, name: str, links: ChapterLinks) -> Iterator[OutlineEntry]:
    points = root.css("navpoint")[: 2 * MAX_CONTENTS_ENTRIES]
    if points:
        for point in points:
            label, content = point.css_first("navlabel"), point.css_first("content")
            if label is not None and content is not None:
                yield from _make_entry(label.text(), content.attributes.get("src"), name, links, _depth(point))
        return
    nav = next((nav for nav in root.css("nav") if "toc" in (nav.attributes.get("epub:type") or "")), None)
    for link in (nav if nav is not None else root).css("a[href]")[: 2 * MAX_CONTENTS_ENTRIES]:
        yield from _make_entry(link.text(), link.attributes.get("href"), name, links, _depth(link) - 1)


def _make_entry(label: str, href: str | None, name: str, links: ChapterLinks, level: int) -> Iterator[OutlineEntry]:
    number = links.numbers.get(resolve_name(href or "", name))
    title = clean_title(label)
    if number is not None and title:
        yield OutlineEntry(title, number, max(0, min(level, MAX_LEVEL)))


def _depth(node: LexborNode) -> int:
    """Return how many lists, or entries, contain the node."""
    depth = 0
    parent = node.parent
    while parent is not None and depth <= MAX_LEVEL:
        depth += parent.tag in _NESTING
        parent = parent.parent
    return depth
