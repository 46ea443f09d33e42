"""Highlights as most tools write them: a list of objects, under names of each tool's own."""

from dataclasses import dataclass

from kept.content.import_formats.values import objects_of, parse_colour, parse_moment, text_of
from kept.domain.imported import ImportedHighlight
from kept.domain.json import JsonObject


@dataclass(frozen=True, slots=True)
class HighlightNames:
    """How a tool calls what it says of a highlight."""

    quote: str
    note: str = "note"
    created: str = "created"
    updated: str = "updated"
    colour: str = "color"

    def read(self, values: object) -> tuple[ImportedHighlight, ...]:
        """What is no list has none; what has neither quote nor note is none."""
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
