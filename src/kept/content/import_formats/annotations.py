"""Highlights as annotations of the W3C's model (https://www.w3.org/TR/annotation-model/), which Kept and others write:
a collection, a page of one, a list of annotations, or one alone. A target is a page's URL with a text quote."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from kept.content.export_formats.highlight_files import CONTEXT
from kept.content.import_formats.json_rows import BROKEN
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.content.import_formats.values import (
    object_of,
    objects_of,
    parse_colour,
    parse_moment,
    parse_number,
    parse_position,
    text_of,
)
from kept.domain.imported import ImportedEntry, ImportedHighlight, ImportedLink, Rejected
from kept.domain.json import JsonObject, JsonValue

NO_URL: Final = "This annotation names no URL."


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    """Read annotations; those of one page are one entry."""
    annotations = parse_annotations(file.text().read())
    if annotations is None:
        yield Rejected(BROKEN)
        return
    marked: dict[str, list[ImportedHighlight]] = {}
    for said in annotations:
        url = source_of(said)
        if url is None:
            yield Rejected(NO_URL)
        else:
            marked.setdefault(url, []).append(read_annotation(said))
    for url, highlights in marked.items():
        yield ImportedLink(url, highlights=tuple(highlights))


def recognises(file: UploadedFile) -> bool:
    return file.is_json and CONTEXT in file.head_text


READER: Final = FileReader("annotations", "Highlights (W3C annotations)", recognises, read)


@dataclass(frozen=True, slots=True)
class HighlightNames:
    """The names under which a tool writes the fields of a highlight, in a list of objects."""

    quote: str
    note: str = "note"
    created: str = "created"
    updated: str = "updated"
    colour: str = "color"

    def read(self, values: object) -> tuple[ImportedHighlight, ...]:
        """Read a list of highlights; anything else has none, and one without quote and note is left out."""
        found = (self.read_one(said) for said in objects_of(values))
        return tuple(marked for marked in found if marked.quote or marked.note)

    def read_one(self, said: JsonObject) -> ImportedHighlight:
        return ImportedHighlight(
            text_of(said.get(self.quote)) or "",
            text_of(said.get(self.note)),
            parse_moment(said.get(self.created)),
            parse_colour(said.get(self.colour)),
            parse_moment(said.get(self.updated)),
        )


def read_collection(data: bytes, last_number: int = 0) -> tuple[ImportedHighlight, ...]:
    """Read the annotations of one page in Kept's own export, with the numbers, up to the last, that apps use."""
    found = parse_annotations(data) or []
    marked = (replace(read_annotation(one), number=parse_number(one.get("number"), last_number)) for one in found)
    return tuple(one for one in marked if one.quote)


def parse_annotations(data: str | bytes) -> list[JsonObject] | None:
    try:
        found: JsonValue = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return objects_of(found)
    items = object_of(found.get("first")).get("items", found.get("items"))
    return objects_of(items) if isinstance(items, list) else [found]


def read_annotation(said: JsonObject) -> ImportedHighlight:
    target = target_of(said)
    selectors = {text_of(one.get("type")): one for one in as_objects(target.get("selector"))}
    quote = selectors.get("TextQuoteSelector", {})
    return ImportedHighlight(
        string_of(quote.get("exact")),
        note_of(said),
        parse_moment(said.get("created")),
        parse_colour(target.get("styleClass")),
        parse_moment(said.get("modified")),
        string_of(quote.get("prefix")),
        string_of(quote.get("suffix")),
        parse_position(selectors.get("TextPositionSelector", {}).get("start")),
    )


def note_of(said: JsonObject) -> str | None:
    bodies = said.get("body")
    notes = [bodies] if isinstance(bodies, str) else [text_of(body.get("value")) for body in as_objects(bodies)]
    return "\n\n".join(filter(None, notes)) or text_of(said.get("bodyValue"))


def source_of(said: JsonObject) -> str | None:
    target = said.get("target")
    source = target if isinstance(target, str) else target_of(said).get("source")
    return text_of(object_of(source).get("id") if isinstance(source, dict) else source)


def target_of(said: JsonObject) -> JsonObject:
    return next(iter(as_objects(said.get("target"))), {})


def as_objects(value: object) -> Iterable[JsonObject]:
    """Return one object or several as a list: the model allows both."""
    return objects_of([value]) if isinstance(value, dict) else objects_of(value)


def string_of(value: object) -> str:
    """Return a text unchanged: the white space around a quote is part of its context."""
    return value if isinstance(value, str) else ""
