"""Highlights as JSON of the W3C's Web Annotation model: a collection with all of them in its first page.

A passage is told in two ways: by its words with some text on either side, and by its place in the article's canonical
text, in code points. `content/import_formats/annotations.py` reads it back without loss.
"""

import json
from typing import Final
from uuid import UUID

from kept.content.export_formats.highlighted_page import HighlightedPage
from kept.content.export_formats.kept_file import spell
from kept.domain.highlight import Highlight
from kept.domain.json import JsonObject, JsonValue

CONTEXT: Final = "http://www.w3.org/ns/anno.jsonld"
END: Final = "\n]}}\n"


def write_collection(page: HighlightedPage) -> bytes:
    text = begin_collection(page.card.media.id) + write_annotations(page) + END
    return text.encode("utf-8", "replace")


def begin_collection(collection_id: UUID) -> str:
    name = f"urn:uuid:{collection_id}"
    head = {"@context": CONTEXT, "id": name, "type": "AnnotationCollection", "label": "Highlights"}
    first = json.dumps({"id": f"{name}#first", "type": "AnnotationPage", "partOf": name, "startIndex": 0})
    return f'{json.dumps(head)[:-1]}, "first": {first[:-1]}, "items": [\n'


def write_annotations(page: HighlightedPage) -> str:
    """One a line, with commas between them."""
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
