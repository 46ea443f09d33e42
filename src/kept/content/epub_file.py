"""An article as an EPUB 3 book, its pictures inside: a ZIP with six kinds of files, written by hand.

Why by hand: docs/decisions/0064-files.md. `SafeHtml` is well nested and knows four escapes, so that it becomes XHTML
by closing its void tags and spelling out the one escape XML does not know.
"""

import io
import re
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final
from uuid import UUID
from xml.sax.saxutils import escape, quoteattr

from kept.content.article_file import ArticleFile, Picture, place_pictures
from kept.content.safe_html import LINK_GUARD, VOID_TAGS

# What every reading system of EPUB 3 shows, the old ones too; others are converted before they come here.
CORE_FORMATS: Final = frozenset({"image/png", "image/jpeg", "image/gif"})

_VOID: Final = re.compile(rf"<({'|'.join(sorted(VOID_TAGS))})((?: [^>]*)?)>")
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


def write_epub(article: ArticleFile, *, made_at: datetime) -> bytes:
    """The same article at the same `made_at` gives the same bytes."""
    out = io.BytesIO()
    stamp = made_at.astimezone(UTC).timetuple()[:6]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in list_files(article, made_at):
            entry = zipfile.ZipInfo(name, stamp)
            # The type comes first and uncompressed: that is how an EPUB is told from any other ZIP.
            is_packed = name == "mimetype" or name.startswith("EPUB/images/")
            entry.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
            book.writestr(entry, content)
    return out.getvalue()


def list_files(article: ArticleFile, made_at: datetime) -> Iterable[tuple[str, str | bytes]]:
    yield "mimetype", "application/epub+zip"
    yield "META-INF/container.xml", CONTAINER
    yield "EPUB/package.opf", write_package(article, made_at)
    yield "EPUB/nav.xhtml", write_navigation(article)
    yield "EPUB/article.xhtml", write_article(article)
    yield "EPUB/style.css", STYLE
    for picture_id, picture in article.pictures.items():
        yield f"EPUB/{image_path(picture_id, picture)}", picture.data


def image_path(picture_id: UUID, picture: Picture) -> str:
    return f"images/{picture_id}.{picture.kind.extension}"


def write_package(article: ArticleFile, made_at: datetime) -> str:
    about = [
        f'<dc:identifier id="id">urn:uuid:{article.id}</dc:identifier>',
        f"<dc:title>{xml(article.title)}</dc:title>",
        f"<dc:language>{xml(article.lang or 'und')}</dc:language>",
        f'<meta property="dcterms:modified">{made_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}</meta>',
    ]
    known = {"creator": article.byline, "publisher": article.site_name, "source": article.url}
    about += [f"<dc:{name}>{xml(value)}</dc:{name}>" for name, value in known.items() if value]
    if article.published_at:
        about.append(f"<dc:date>{article.published_at:%Y-%m-%d}</dc:date>")
    manifest = [
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        '<item id="article" href="article.xhtml" media-type="application/xhtml+xml"/>',
        '<item id="style" href="style.css" media-type="text/css"/>',
        *(
            f'<item id="i{key.hex}" href="{image_path(key, picture)}" media-type="{picture.kind.value}"/>'
            for key, picture in article.pictures.items()
        ),
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">\n'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n' + "\n".join(about) + "\n</metadata>\n"
        "<manifest>\n" + "\n".join(manifest) + "\n</manifest>\n"
        '<spine><itemref idref="article"/></spine>\n</package>\n'
    )


def write_navigation(article: ArticleFile) -> str:
    title = xml(article.title)
    entry = f'<nav epub:type="toc"><h1>{title}</h1><ol><li><a href="article.xhtml">{title}</a></li></ol></nav>'
    return write_page(article, entry)


def write_article(article: ArticleFile) -> str:
    lines = "".join(f"<p>{xml(line)}</p>" for line in article.credits)
    if article.url:
        lines += f"<p><a href={quoteattr(article.url)}>{xml(article.url)}</a></p>"
    head = f"<header><h1>{xml(article.title)}</h1>{lines}</header>"
    return write_page(article, f"{head}\n{as_xhtml(place_pictures(article, image_path))}")


def write_page(article: ArticleFile, body: str) -> str:
    lang = f" lang={quoteattr(article.lang)} xml:lang={quoteattr(article.lang)}" if article.lang else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
        f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"{lang}>\n'
        f'<head><title>{xml(article.title)}</title><link rel="stylesheet" href="style.css"/></head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def as_xhtml(html: str) -> str:
    """A link guard is for browsers' windows; a book has none."""
    plain = html.replace(LINK_GUARD, "").replace("&nbsp;", "&#160;")
    return _NOT_XML.sub("", _VOID.sub(r"<\1\2/>", plain))


def xml(text: str) -> str:
    return escape(_NOT_XML.sub("", text))
