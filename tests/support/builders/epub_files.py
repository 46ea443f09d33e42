"""E-books that tests make, of either version."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Final

from PIL import Image

MIMETYPE: Final = "application/epub+zip"
CONTAINER: Final = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
    '<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>'
    "</container>"
)


def image() -> bytes:
    out = io.BytesIO()
    Image.effect_noise((40, 60), 50).convert("RGB").save(out, "PNG")
    return out.getvalue()


def chapter(body: str, head: str = "<title/>") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head>{head}<link rel="stylesheet" href="s.css"/></head>'
        f"<body>{body}</body></html>"
    )


CHAPTERS: Final = (
    chapter(
        '<section><h1>The First Chapter</h1><p>It begins beside the river<a id="start"/>, and leads to '
        '<a href="two.xhtml#note">a note</a> and to <a href="two.xhtml">the next</a>.</p>'
        '<img src="../images/a%20map.png" alt="A map"/></section>'
    ),
    chapter(
        '<h1>The Second Chapter</h1><p>Here is more of it, <a href="one.xhtml#start">after the first</a>.</p>'
        '<p id="note">The note.</p><script>alert(1)</script><p onclick="x()">Safe &amp; sound &mdash; really.</p>'
    ),
)
NAVIGATION: Final = chapter(
    '<nav epub:type="toc"><ol><li><a href="text/one.xhtml">One</a><ol><li><a href="text/one.xhtml#start">Start</a></li>'
    '</ol></li><li><a href="text/two.xhtml">Two</a></li></ol></nav>'
)
NCX: Final = (
    '<?xml version="1.0"?><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint id="a"><navLabel><text>'
    'One</text></navLabel><content src="text/one.xhtml"/><navPoint id="b"><navLabel><text>Start</text></navLabel>'
    '<content src="text/one.xhtml#start"/></navPoint></navPoint><navPoint id="c"><navLabel><text>Two</text></navLabel>'
    '<content src="text/two.xhtml"/></navPoint></navMap></ncx>'
)


def package(chapters: Sequence[str], *, has_navigation: bool = True) -> str:
    items = "".join(
        f'<item id="{name}" href="text/{name}.xhtml" media-type="application/xhtml+xml"/>' for name in chapters
    )
    contents = (
        '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        if has_navigation
        else '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    )
    return (
        '<?xml version="1.0"?><opf:package xmlns:opf="http://www.idpf.org/2007/opf" version="3.0">'
        '<opf:metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A Book of Rivers</dc:title>'
        "<dc:creator>Ann Author</dc:creator><dc:creator>Bob Writer</dc:creator><dc:language>en-GB</dc:language>"
        '<dc:date>2019-05</dc:date><meta name="cover" content="pic"/></opf:metadata><opf:manifest>'
        + (items + contents).replace("<item ", "<opf:item ")
        + '<opf:item id="pic" href="images/a%20map.png" media-type="image/png"/></opf:manifest>'
        + '<opf:spine toc="ncx">'
        + "".join(f'<opf:itemref idref="{name}"/>' for name in chapters)
        + "</opf:spine></opf:package>"
    )


def epub(*, has_navigation: bool = True, more: Mapping[str, bytes | str] | None = None) -> bytes:
    """`more`: files to add, or to put in the place of others."""
    files: dict[str, bytes | str] = {
        "mimetype": MIMETYPE,
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package(("one", "two"), has_navigation=has_navigation),
        "OEBPS/nav.xhtml": NAVIGATION,
        "OEBPS/toc.ncx": NCX,
        "OEBPS/text/one.xhtml": CHAPTERS[0],
        "OEBPS/text/two.xhtml": CHAPTERS[1],
        "OEBPS/images/a map.png": image(),
        **(more or {}),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            stored = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name), content, stored)
    return out.getvalue()
