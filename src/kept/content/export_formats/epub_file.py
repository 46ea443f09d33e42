"""Articles as an EPUB 3 book, their images inside: a ZIP with six kinds of files, written by hand.

Why by hand: docs/decisions/0030-exports.md. `SafeHtml` is well nested and knows four escapes, so that it becomes XHTML
by closing its void tags and spelling out the one escape XML does not know.
"""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import BinaryIO, Final
from uuid import UUID

from kept.content.article.safe_html import LINK_GUARD, VOID_TAGS
from kept.content.export_formats.article_file import MARK_STYLE, ArticleFile, EmbeddedImage, place_images, write_notes
from kept.content.export_formats.zip_stream import Deflated, Member, ZipStream
from kept.domain.text import direction_of

# What every reading system of EPUB 3 shows, the old ones too; others are converted before they come here.
CORE_FORMATS: Final = frozenset({"image/png", "image/jpeg", "image/gif"})

_VOID: Final = re.compile(rf"<({'|'.join(sorted(VOID_TAGS))})((?: [^<>]*+)?)>")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

STYLE: Final = """
body { line-height: 1.5; margin: 0 4% }
h1, h2, h3, h4 { line-height: 1.25; margin: 1.5em 0 .5em; page-break-after: avoid }
header { border-bottom: 1px solid; margin-bottom: 1.5em; padding-bottom: 1em }
header p { font-size: .85em; margin: .2em 0 }
img { height: auto; max-width: 100% }
figure { margin: 1.5em 0; page-break-inside: avoid }
figcaption { font-size: .85em }
blockquote { border-left: 2px solid; margin: 1em 0; padding-left: 1em }
pre { font-size: .8em; white-space: pre-wrap }
table { border-collapse: collapse; font-size: .85em } td, th { border: 1px solid; padding: .3em; text-align: start }
"""
CONTAINER: Final = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
MATH: Final = '<math xmlns="http://www.w3.org/1998/Math/MathML"'
PAGE_END: Final = "</body>\n</html>\n"


@dataclass(frozen=True, slots=True)
class BookCover:
    """The metadata of a book."""

    id: UUID
    title: str
    made_at: datetime
    lang: str | None = None
    creator: str | None = None
    publisher: str | None = None
    source: str | None = None
    date: datetime | None = None


class Book:
    """An EPUB of any number of articles, file by file, in the order of the archive.

    What lists all articles grows in two spools of the caller's, so that a large book needs no more memory than its
    largest article.
    """

    def __init__(self, cover: BookCover, spools: Callable[[], BinaryIO]) -> None:
        self._cover = cover
        self._package, self._contents = Deflated(spools()), Deflated(spools())
        self._articles = 0

    def begin(self) -> Iterator[Member]:
        """Yield the first files. The type comes first and uncompressed: by that an EPUB is recognised."""
        yield Member("mimetype", b"application/epub+zip", is_packed=True)
        yield Member("META-INF/container.xml", CONTAINER.encode())
        yield Member("EPUB/style.css", (STYLE + MARK_STYLE).encode())
        self._package.write(begin_package(self._cover))
        title = xml(self._cover.title)
        self._contents.write(begin_page(title, self._cover.lang))
        self._contents.write(f'<nav epub:type="toc"><h1>{title}</h1>\n<ol>\n')

    def add(self, article: ArticleFile) -> Iterator[Member]:
        self._articles += 1
        name = chapter_path(self._articles)
        page = write_article(article)
        has_formulas = "mathml" if MATH in page else None
        kind = "application/xhtml+xml"
        self._package.write(manifest_item(chapter_id(self._articles), name, kind, properties=has_formulas))
        self._contents.write(f'<li><a href="{name}">{xml(article.title) or "Untitled"}</a></li>\n')
        yield Member(f"EPUB/{name}", page.encode())
        for key, image in article.images.items():
            self._package.write(manifest_item(f"i{key.hex}", image_path(key, image), image.kind.value))
            yield Member(f"EPUB/{image_path(key, image)}", image.data, is_packed=True)

    def end(self) -> Iterator[Member]:
        if not self._articles:
            yield from self._add_empty_page()
        self._contents.write(f"</ol></nav>\n{PAGE_END}")
        turns = ' page-progression-direction="rtl"' if direction_of(self._cover.lang) == "rtl" else ""
        self._package.write(f"</manifest>\n<spine{turns}>\n")
        for number in range(1, self._articles + 1):
            self._package.write(f'<itemref idref="{chapter_id(number)}"/>\n')
        self._package.write("</spine>\n</package>\n")
        yield Member("EPUB/nav.xhtml", self._contents.finish())
        yield Member("EPUB/package.opf", self._package.finish())

    def _add_empty_page(self) -> Iterator[Member]:
        """Add an empty page, because a book must have at least one."""
        self._articles = 1
        name = chapter_path(1)
        self._package.write(manifest_item(chapter_id(1), name, "application/xhtml+xml"))
        self._contents.write(f'<li><a href="{name}">Nothing kept yet</a></li>\n')
        page = f"{begin_page('Nothing kept yet', None)}<p>Nothing kept yet.</p>\n{PAGE_END}"
        yield Member(f"EPUB/{name}", page.encode())


def write_epub(article: ArticleFile, *, made_at: datetime) -> bytes:
    """Write a book of one article. The same article at the same `made_at` gives the same bytes."""
    book, archive = Book(cover_of(article, made_at), io.BytesIO), ZipStream(io.BytesIO(), made_at)
    members = chain(book.begin(), book.add(article), book.end())
    return b"".join(chain(chain.from_iterable(map(archive.add, members)), archive.end()))


def cover_of(article: ArticleFile, made_at: datetime) -> BookCover:
    known = {"creator": article.byline, "publisher": article.site_name, "source": article.url}
    return BookCover(article.id, article.title, made_at, article.lang, **known, date=article.published_at)


def image_path(image_id: UUID, image: EmbeddedImage) -> str:
    return f"images/{image_id}.{image.kind.extension}"


def chapter_id(number: int) -> str:
    return f"a{number:06}"


def chapter_path(number: int) -> str:
    return f"article-{number:06}.xhtml"


def begin_package(cover: BookCover) -> str:
    about = [
        f'<dc:identifier id="id">urn:uuid:{cover.id}</dc:identifier>',
        f"<dc:title>{xml(cover.title)}</dc:title>",
        f"<dc:language>{xml(cover.lang or 'und')}</dc:language>",
        f'<meta property="dcterms:modified">{cover.made_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}</meta>',
    ]
    known = {"creator": cover.creator, "publisher": cover.publisher, "source": cover.source}
    about += [f"<dc:{name}>{xml(value)}</dc:{name}>" for name, value in known.items() if value]
    if cover.date:
        about.append(f"<dc:date>{cover.date:%Y-%m-%d}</dc:date>")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">\n'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n' + "\n".join(about) + "\n</metadata>\n<manifest>\n"
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>\n'
        '<item id="style" href="style.css" media-type="text/css"/>\n'
    )


def manifest_item(key: str, path: str, media_type: str, *, properties: str | None = None) -> str:
    holds = f' properties="{properties}"' if properties else ""
    return f'<item id="{key}" href="{path}" media-type="{media_type}"{holds}/>\n'


def write_article(article: ArticleFile) -> str:
    lines = "".join(f"<p>{xml(line)}</p>" for line in article.credits)
    if article.url:
        lines += f"<p><a href={attribute(article.url)}>{xml(article.url)}</a></p>"
    head = f"<header><h1>{xml(article.title)}</h1>{lines}</header>"
    # KOReader tells where a highlight is by the path below `body > main`, which must be the path below the article
    body, notes = as_xhtml(place_images(article, image_path)), as_xhtml(write_notes(article))
    return f"{begin_page(xml(article.title), article.lang)}{head}\n<main>{body}</main>\n{notes}{PAGE_END}"


def begin_page(title: str, language: str | None) -> str:
    lang = f" lang={attribute(language)} xml:lang={attribute(language)}" if language else ""
    direction = f' dir="{direction_of(language)}"' if language else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
        f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"{lang}{direction}>\n'
        f'<head><title>{title}</title><link rel="stylesheet" href="style.css"/></head>\n<body>\n'
    )


def as_xhtml(html: str) -> str:
    """Turn safe HTML into XHTML, without the link guard, which only browsers need."""
    plain = html.replace(LINK_GUARD, "").replace("&nbsp;", "&#160;").replace("<math", MATH)
    return _NOT_XML.sub("", _VOID.sub(r"<\1\2/>", plain))


def xml(text: str) -> str:
    from xml.sax.saxutils import escape  # imported with the first book: a server that makes none does without

    return escape(_NOT_XML.sub("", text))


def attribute(text: str) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr(_NOT_XML.sub("", text))
