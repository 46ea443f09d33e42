"""An article as it leaves Kept in a file: what the formats of such files share."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import Final
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.content.images.format import ImageFormat
from kept.domain.highlight import Highlight
from kept.domain.text import normalise

_IMAGE: Final = re.compile(r'<img src="/api/images/([0-9a-f-]{36})"([^<>]*+)>')
_ALT: Final = re.compile(r' alt="([^"]*)"')
# The marks in a file: a line under the text tells colours apart in black and white too.
MARK_STYLE: Final = """
mark[data-highlight] { background: rgba(255, 212, 0, .35); color: inherit; text-decoration: underline }
mark.h-red { background: rgba(255, 90, 90, .35); text-decoration-style: double }
mark.h-green { background: rgba(79, 195, 89, .35); text-decoration-style: dotted }
mark.h-blue { background: rgba(76, 157, 255, .35); text-decoration-style: dashed }
"""
# File systems allow 255 bytes; what stands around a name (a number, an extension) needs some of them.
MAX_BYTES: Final = 120
MAX_CHARACTERS: Final = 80


@dataclass(frozen=True, slots=True)
class EmbeddedImage:
    data: bytes = field(repr=False)
    kind: ImageFormat


@dataclass(frozen=True, slots=True)
class ArticleFile:
    """The article, with its images where available and their URLs otherwise."""

    id: UUID
    title: str
    html: SafeHtml
    text: str
    url: str | None = None
    byline: str | None = None
    site_name: str | None = None
    lang: str | None = None
    published_at: datetime | None = None
    kept_at: datetime | None = None
    images: Mapping[UUID, EmbeddedImage] = field(default_factory=dict)
    origins: Mapping[UUID, str] = field(default_factory=dict)
    highlights: Sequence[Highlight] = field(default=(), repr=False)
    """The highlights of the person whose file it is; their marks are in `html`."""

    @property
    def credits(self) -> list[str]:
        """The lines that say who wrote it, where and when, as far as that is known."""
        source = " · ".join(part for part in (self.byline, self.site_name) if part)
        dates = [("Published", self.published_at), ("Kept", self.kept_at)]
        return [line for line in (source, *(f"{word} {day.day} {day:%B %Y}" for word, day in dates if day)) if line]


def write_notes(article: ArticleFile) -> str:
    """Write the notes below the article, as HTML, and the highlights that are not in this copy."""
    entries = [write_note(highlight) for highlight in article.highlights if highlight.note or not highlight.span]
    return f"<section>\n<h2>Notes</h2>\n{''.join(entries)}</section>\n" if entries else ""


def write_note(highlight: Highlight) -> str:
    quote = "<br>".join(map(escape, highlight.quote.exact.splitlines()))
    link = f' <a href="#h-{highlight.id}">↑</a>' if highlight.span else " (not found in this copy)"
    note = "<br>".join(map(escape, (highlight.note or "").splitlines()))
    return f"<blockquote><p>{quote}{link}</p></blockquote>\n" + (f"<p>{note}</p>\n" if note else "")


def list_images(html: SafeHtml) -> list[UUID]:
    """List the images in the order in which they are in the article, each once."""
    return list(dict.fromkeys(UUID(found[1]) for found in _IMAGE.finditer(str(html))))


def place_images(article: ArticleFile, source_of: Callable[[UUID, EmbeddedImage], str]) -> str:
    """Return the markup with `source_of` each image; one that is not available becomes a link to its origin."""

    def place(match: re.Match[str]) -> str:
        image_id, attributes = UUID(match[1]), match[2]
        image = article.images.get(image_id)
        if image is not None:
            return f'<img src="{source_of(image_id, image)}"{attributes}>'
        alt = _ALT.search(attributes)
        words = (alt[1] if alt else "") or "Image"
        origin = article.origins.get(image_id)
        return f'<a href="{escape(origin)}">{words}</a>' if origin else words

    return _IMAGE.sub(place, str(article.html))


def link_images(html: SafeHtml, url_of: Callable[[UUID], str]) -> str:
    """Return the article's markup with its images at other URLs."""
    return _IMAGE.sub(lambda found: f'<img src="{escape(url_of(UUID(found[1])))}"{found[2]}>', str(html))


def place_origins(article: ArticleFile) -> str:
    """Return the article's markup with its images at their origins; those without one are removed."""

    def place(match: re.Match[str]) -> str:
        origin = article.origins.get(UUID(match[1]))
        return f'<img src="{escape(origin)}"{match[2]}>' if origin else ""

    return _IMAGE.sub(place, str(article.html))


def make_file_name(title: str, otherwise: str = "article") -> str:
    """Make a name for a file that people download, which is valid on every file system.

    It has letters and digits of any script, in words joined by hyphens; no dots, slashes or bidirectional marks.
    """
    words = re.sub(r"[\W_]+", "-", normalise(title, "NFC")).strip("-").lower()
    short = words[:MAX_CHARACTERS].encode("utf-8", "ignore")[:MAX_BYTES].decode("utf-8", "ignore")
    return short.strip("-") or otherwise
