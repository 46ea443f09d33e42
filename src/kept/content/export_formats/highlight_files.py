"""Highlights as files: Markdown, Readwise's CSV, and JSON of W3C annotations."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.content.export_formats.csv_file import neutralise, write_lines
from kept.content.export_formats.kept_file import spell
from kept.content.export_formats.markdown_escaping import escape_line, escape_url
from kept.domain.highlight import Highlight
from kept.domain.item import Card
from kept.domain.json import JsonObject, JsonValue

URL: Final = re.compile(r"https?://[^\s<>]++")
URL_ENDS: Final = ".,;:!?)'\""
NOT_IN_TAG: Final = re.compile(r"[^\w/-]+")
# What these programs read beyond Markdown: a tag, and marks that come in pairs.
TAG: Final = re.compile(r"(?<!\S)#(?=\S)")
SECOND_OF_PAIR: Final = re.compile(r"(?<==)=|(?<=%)%")
NOT_FOUND: Final = "not found in this copy"
# Readwise knows these and no others. It orders the highlights of a page by their location.
COLUMNS: Final = ("Highlight", "Title", "Author", "URL", "Note", "Location", "Date")
CONTEXT: Final = "http://www.w3.org/ns/anno.jsonld"
END: Final = "\n]}}\n"


@dataclass(frozen=True, slots=True)
class HighlightedPage:
    """A page with one person's highlights, from which the files of highlights are written."""

    card: Card
    highlights: Sequence[Highlight] = field(repr=False)
    """The highlights, in the order of the text; those that were not found in it come last."""
    read_url: str | None = None
    """The URL at which Kept shows the article, if Kept's own URL is known."""
    numbers: Mapping[UUID, int] = field(default_factory=dict)
    """The numbers that apps use for the highlights, in Kept's own export."""

    @property
    def title(self) -> str:
        return " ".join((self.card.title or self.card.item.url).split())

    def link_to(self, highlight: Highlight) -> str | None:
        """Return the URL at which Kept shows the passage."""
        return f"{self.read_url}#h-{highlight.id}" if self.read_url else None


def write_markdown(page: HighlightedPage) -> str:
    """Write a page's highlights as Markdown for note-taking programs such as Obsidian: properties, then the quotes,
    each with its note and a link back. Text stays text: it makes no tags, links, comments or formulas."""
    quotes = "\n".join(write_highlight(page, highlight) for highlight in page.highlights)
    return f"{write_properties(page)}\n# {escape_text(page.title)}\n\n{write_source(page)}\n## Highlights\n\n{quotes}"


def write_properties(page: HighlightedPage) -> str:
    """Write the properties as YAML, in which a JSON string is a valid text."""
    card = page.card
    said = {
        "title": page.title,
        "url": card.item.url,
        "author": card.media.byline,
        "site": card.media.site_name,
        "published": day_of(card.media.published_at),
        "saved": day_of(card.item.created_at),
        "kept": page.read_url,
    }
    lines = [f"{name}: {write_text(text)}" for name, text in said.items() if text]
    tags = [f"  - {write_text(tag)}" for tag in list_tags(card)]
    return "\n".join(["---", *lines, *(["tags:", *tags] if tags else []), "---", ""])


def write_text(text: str) -> str:
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def day_of(moment: datetime | None) -> str | None:
    return f"{moment:%Y-%m-%d}" if moment else None


def list_tags(card: Card) -> list[str]:
    """List the tags without spaces, which these programs do not allow."""
    return [tag for tag in (NOT_IN_TAG.sub("-", tag).strip("-") for tag in card.tags) if tag]


def write_source(page: HighlightedPage) -> str:
    card = page.card
    author = " · ".join(part for part in (card.media.byline, card.media.site_name) if part)
    parts = [escape_text(author), f"<{escape_url(card.item.url)}>", " ".join(f"#{tag}" for tag in list_tags(card))]
    return "".join(f"{part}  \n" for part in parts if part)


def write_highlight(page: HighlightedPage, highlight: Highlight) -> str:
    parts = [write_quote(highlight.quote.exact), *([write_note(highlight.note)] if highlight.note else [])]
    return "\n".join([*parts, write_details(page, highlight)])


def write_quote(text: str) -> str:
    lines = keep_breaks([escape_text(line) for line in text.splitlines()])
    return "\n".join(f"> {line}" if line else ">" for line in lines) + "\n"


def write_note(text: str) -> str:
    return "\n".join(keep_breaks([escape_with_links(line) for line in text.splitlines()])) + "\n"


def keep_breaks(lines: list[str]) -> list[str]:
    """End lines with two spaces, which in Markdown keep them apart from the next."""
    return [f"{line}  " if line and after else line for line, after in zip(lines, [*lines[1:], ""], strict=True)]


def write_details(page: HighlightedPage, highlight: Highlight) -> str:
    link = page.link_to(highlight)
    parts = [f"[Open in Kept]({escape_url(link)})"] if link else []
    parts += [highlight.colour, f"{highlight.created_at:%Y-%m-%d}", *([] if highlight.span else [NOT_FOUND])]
    return f"— {' · '.join(parts)}\n"


# --- text ---------------------------------------------------------------------------------------------------------


def escape_text(text: str) -> str:
    escaped = TAG.sub(r"\\#", escape_line(text)).replace("$", r"\$")
    return SECOND_OF_PAIR.sub(lambda found: f"&#{ord(found[0])};", escaped)


def escape_with_links(line: str) -> str:
    """Escape a line, in which URLs become links."""
    parts, end = list[str](), 0
    for found in URL.finditer(line):
        url = found[0].rstrip(URL_ENDS)
        parts += [escape_piece(line[end : found.start()]), f"<{escape_url(url)}>"]
        end = found.start() + len(url)
    return "".join([*parts, escape_piece(line[end:])]).strip()


def escape_piece(text: str) -> str:
    """Escape a piece of a line; spaces at its ends stay, because a link is beside it."""
    before, after = " " * (text[:1].isspace()), " " * (text[-1:].isspace())
    return f"{before}{escape_text(text)}{after}" if text.strip() else before


def write_heading() -> str:
    """Write the heading of the CSV that Readwise and others import: a line for each highlight, and no formulas.

    There is no byte order mark, which would become part of the first column's name.
    """
    return write_lines([COLUMNS])


def write_rows(page: HighlightedPage) -> str:
    return write_lines(list_cells(page, highlight) for highlight in page.highlights)


def list_cells(page: HighlightedPage, highlight: Highlight) -> Iterator[str]:
    card, span = page.card, highlight.span
    author = card.media.byline or card.media.site_name or ""
    place = str(span.start) if span else ""
    at = highlight.created_at.isoformat(sep=" ", timespec="seconds")
    said = (highlight.quote.exact, page.title, author, card.item.url, highlight.note or "", place, at)
    return map(neutralise, said)


def write_collection(page: HighlightedPage) -> bytes:
    """Write highlights as JSON of the W3C's Web Annotation model: a collection with all of them in its first page.

    A passage is given by its words with some text on either side, and by its place in the canonical text, in code
    points. `content/import_formats/annotations.py` reads it back without loss.
    """
    text = begin_collection(page.card.media.id) + write_annotations(page) + END
    return text.encode("utf-8", "replace")


def begin_collection(collection_id: UUID) -> str:
    name = f"urn:uuid:{collection_id}"
    head = {"@context": CONTEXT, "id": name, "type": "AnnotationCollection", "label": "Highlights"}
    first = json.dumps({"id": f"{name}#first", "type": "AnnotationPage", "partOf": name, "startIndex": 0})
    return f'{json.dumps(head)[:-1]}, "first": {first[:-1]}, "items": [\n'


def write_annotations(page: HighlightedPage) -> str:
    """Write one annotation a line, with commas between them."""
    said = (describe_annotation(page, highlight) for highlight in page.highlights)
    return ",\n".join(json.dumps(annotation, ensure_ascii=False) for annotation in said)


def describe_annotation(page: HighlightedPage, highlight: Highlight) -> JsonObject:
    said: JsonObject = {
        "id": f"urn:uuid:{highlight.id}",
        "type": "Annotation",
        "motivation": "commenting" if highlight.note else "highlighting",
        "created": spell(highlight.created_at),
        "modified": spell(highlight.updated_at),
        "target": {
            "source": page.card.item.url,
            "styleClass": highlight.colour.value,
            "selector": describe_place(highlight),
        },
    }
    if highlight.id in page.numbers:
        said["number"] = page.numbers[highlight.id]
    if highlight.note:
        said["body"] = {"type": "TextualBody", "value": highlight.note, "format": "text/plain", "purpose": "commenting"}
    return said


def describe_place(highlight: Highlight) -> JsonValue:
    quote, span = highlight.quote, highlight.span
    words: JsonObject = {"type": "TextQuoteSelector", "exact": quote.exact}
    words |= {name: text for name, text in (("prefix", quote.prefix), ("suffix", quote.suffix)) if text}
    place: list[JsonValue] = [{"type": "TextPositionSelector", "start": span.start, "end": span.end}] if span else []
    return [words, *place]
