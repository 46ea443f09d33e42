"""A book's table of contents: its navigation document, the older NCX, or else the headings of its chapters."""

from collections.abc import Iterator, Sequence
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.documents.composing import clean_title
from kept.content.documents.epub_chapters import Chapter, ChapterLinks
from kept.content.documents.epub_names import parse_xml, resolve_name
from kept.content.documents.epub_package import MAX_XML_BYTES, Package
from kept.content.import_formats.archive import Archive
from kept.domain.document import OutlineEntry

MAX_ENTRIES: Final = 1_000
MAX_LEVEL: Final = 6
_NESTING: Final = frozenset({"ol", "navpoint"})


def read_contents(
    archive: Archive, package: Package, chapters: Sequence[Chapter], links: ChapterLinks
) -> tuple[OutlineEntry, ...]:
    """`page` is the number of a chapter."""
    data = archive.read(package.contents, MAX_XML_BYTES) if package.contents else None
    root = parse_xml(data) if data else None
    entries = list(_read_entries(root, package.contents or "", links)) if root is not None else []
    kept = [entry for entry in entries if entry.page <= len(chapters)][:MAX_ENTRIES]
    return tuple(kept) or tuple(
        OutlineEntry(chapter.heading, number, 0) for number, chapter in enumerate(chapters, 1) if chapter.heading
    )


def _read_entries(root: LexborNode, name: str, links: ChapterLinks) -> Iterator[OutlineEntry]:
    points = root.css("navpoint")[: 2 * MAX_ENTRIES]
    if points:
        for point in points:
            label, content = point.css_first("navlabel"), point.css_first("content")
            if label is not None and content is not None:
                yield from _make_entry(label.text(), content.attributes.get("src"), name, links, _depth(point))
        return
    nav = next((nav for nav in root.css("nav") if "toc" in (nav.attributes.get("epub:type") or "")), None)
    for link in (nav if nav is not None else root).css("a[href]")[: 2 * MAX_ENTRIES]:
        yield from _make_entry(link.text(), link.attributes.get("href"), name, links, _depth(link) - 1)


def _make_entry(label: str, href: str | None, name: str, links: ChapterLinks, level: int) -> Iterator[OutlineEntry]:
    number = links.numbers.get(resolve_name(href or "", name))
    title = clean_title(label)
    if number is not None and title:
        yield OutlineEntry(title, number, max(0, min(level, MAX_LEVEL)))


def _depth(node: LexborNode) -> int:
    """In how many lists, or entries, it stands."""
    depth = 0
    parent = node.parent
    while parent is not None and depth <= MAX_LEVEL:
        depth += parent.tag in _NESTING
        parent = parent.parent
    return depth
