"""A book's package file (OPF): which chapters in which order, and what the book says of itself."""

import posixpath
import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.documents.composing import FileDetails, clean_language, clean_name, clean_title
from kept.content.import_formats.archive import Archive
from kept.content.markup import tags
from kept.content.page.bounds import find_excess
from kept.content.page.dates import parse_page_date
from kept.content.page.decode import clean_unicode, decode_html
from kept.content.page.description import PageMetadata

MAX_XML_BYTES: Final = 4 * 1024 * 1024
MAX_ITEMS: Final = 20_000
MAX_AUTHORS: Final = 5
CONTAINER: Final = "META-INF/container.xml"
ENCRYPTION: Final = "META-INF/encryption.xml"
# Fonts are often scrambled, with a key that is in the book itself; chapters never are in this way.
FONT_SCRAMBLING: Final = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
# Elements that HTML closes by itself.
_VOID: Final = tags("area base br col embed hr img input link meta param source track wbr")
_SELF_CLOSING: Final = re.compile(r"<([a-zA-Z][a-zA-Z0-9:_.-]{0,60}+)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)(?<=/)>")
_PREFIX: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9_-]{0,30}+):(?=[a-zA-Z])")
_DECLARATION: Final = re.compile(r"<\?[^<>]{0,1000}\?>")
_CDATA: Final = re.compile(r"<!\[CDATA\[([^<>]*+)\]\]>")


@dataclass(frozen=True, slots=True)
class Package:
    path: str
    spine: tuple[str, ...] = field(repr=False)
    """The names of chapters in the zip."""
    title: str | None
    authors: tuple[str, ...]
    language: str | None
    date: str | None
    contents: str | None
    """The name of the file that has the table of contents: a navigation document, or the older NCX."""
    cover: str | None

    def make_metadata(self, details: FileDetails) -> PageMetadata:
        return PageMetadata(
            title=clean_title(self.title) or details.name_as_title,
            byline=clean_name(", ".join(self.authors)),
            lang=clean_language(self.language),
            published_at=parse_page_date(complete_date(self.date)),
            base_url=details.url,
        )


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    media_type: str
    properties: frozenset[str]


def complete_date(date: str | None) -> str | None:
    """Complete a date that is a year or a month alone, as in many books."""
    text = (date or "").strip()
    return {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)


def is_protected(archive: Archive) -> bool:
    """Return whether the chapters are encrypted for one shop's readers."""
    if any(entry.flag_bits & 0x1 for entry in archive.entries.values()):
        return True
    told = archive.read(ENCRYPTION, MAX_XML_BYTES)
    root = parse_xml(told) if told else None
    if root is None:
        return False
    methods = root.css("encrypteddata > encryptionmethod")
    return any((method.attributes.get("algorithm") or "") not in FONT_SCRAMBLING for method in methods)


def find_package_path(archive: Archive) -> str | None:
    told = archive.read(CONTAINER, MAX_XML_BYTES)
    root = parse_xml(told) if told else None
    node = root.css_first("rootfile[full-path]") if root is not None else None
    path = (node.attributes.get("full-path") or "").lstrip("/") if node is not None else ""
    return path if path in archive.entries else next(iter(archive.names(end=".opf")), None)


def read_package(archive: Archive, path: str) -> Package | None:
    data = archive.read(path, MAX_XML_BYTES)
    root = parse_xml(data) if data else None
    if root is None:
        return None
    items = _read_items(root, path)
    ids = [node.attributes.get("idref") or "" for node in root.css("itemref")[:MAX_ITEMS]]
    return Package(
        path=path,
        spine=tuple(dict.fromkeys(items[id].name for id in ids if id in items)),
        title=_text(root, "dc-title"),
        authors=tuple(node.text().strip() for node in root.css("dc-creator")[:MAX_AUTHORS] if node.text().strip()),
        language=_text(root, "dc-language"),
        date=_text(root, "dc-date"),
        contents=_find_contents(root, items),
        cover=_find_cover(root, items),
    )


def _read_items(root: LexborNode, path: str) -> dict[str, _Item]:
    items: dict[str, _Item] = {}
    for node in root.css("item")[:MAX_ITEMS]:
        own = node.attributes
        id, href = own.get("id"), own.get("href")
        if id and href:
            properties = frozenset((own.get("properties") or "").split())
            items.setdefault(id, _Item(resolve_name(href, path), own.get("media-type") or "", properties))
    return items


def _find_contents(root: LexborNode, items: dict[str, _Item]) -> str | None:
    spine = root.css_first("spine")
    ncx = items.get(spine.attributes.get("toc") or "") if spine is not None else None
    found = next((item for item in items.values() if "nav" in item.properties), ncx)
    return found.name if found else None


def _find_cover(root: LexborNode, items: dict[str, _Item]) -> str | None:
    named = root.css_first('meta[name="cover"]')
    by_id = items.get(named.attributes.get("content") or "") if named is not None else None
    images = [item for item in items.values() if item.media_type.startswith("image/")]
    called = next((item for item in images if "cover" in item.name.lower()), None)
    found = next((item for item in images if "cover-image" in item.properties), by_id) or called
    return found.name if found else None


def _text(root: LexborNode, tag: str) -> str | None:
    node = root.css_first(tag)
    return node.text().strip()[:2_000] if node is not None else None


def resolve_name(reference: str, base: str) -> str:
    """Return the name in the zip that a reference in the file `base` means; a name outside the zip matches nothing."""
    path = unquote(reference.partition("#")[0].partition("?")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path)).lstrip("/") if path else base


def read_markup(data: bytes, *, is_xhtml: bool = False) -> str:
    """Write XML for an HTML parser: elements that close themselves are closed, and names have no prefixes but `dc-`."""
    text = clean_unicode(decode_html(data, "text/xml").text)
    text = _SELF_CLOSING.sub(_close, _CDATA.sub(r"\1", _DECLARATION.sub("", text)))
    return text if is_xhtml else _PREFIX.sub(_rename, text)


def parse_xml(data: bytes) -> LexborNode | None:
    """Parse XML with an HTML parser and return its body; None where it cannot be parsed within bounds."""
    markup = read_markup(data)
    return None if find_excess(markup) is not None else LexborHTMLParser(f"<!doctype html><body>{markup}").body


def _close(match: "re.Match[str]") -> str:
    name, rest = match.groups()
    return match[0] if name.lower() in _VOID else f"<{name}{rest[:-1]}></{name}>"


def _rename(match: "re.Match[str]") -> str:
    return f"<{match[1]}{'dc-' if match[2].lower() == 'dc' else ''}"
