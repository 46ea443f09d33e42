"""Annotations: Kept's highlights, with their notes. A range finds the place; if it does not, the quote does."""

import asyncio
import json
from typing import Final

from fastapi import APIRouter, Response

from kept.api.access import KeptDep
from kept.compat.access import TokenReader, TokenWriter
from kept.compat.answering import PlainJson
from kept.compat.fields import Fields, FieldsDep, parse_integer
from kept.compat.wallabag.answers import WallabagRoute, annotation_out, annotations_out
from kept.compat.wallabag.tags import find_entry
from kept.content.article.highlights.xpath_ranges import ArticlePlaces, XPathRange, write_ranges
from kept.content.article.safe_html import SafeHtml
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest
from kept.domain.highlight import NewHighlight, Quote, parse_highlight_note, parse_quote
from kept.domain.synced import NumberKind
from kept.services.highlights.highlights import HighlightChange, change_highlight, create_highlight, remove_highlight
from kept.services.reading.articles import read_article
from kept.services.syncing.numbers import PlacedHighlight, find_by_number, number_highlight
from kept.wiring.server import Kept

router = APIRouter(route_class=WallabagRoute)

MAX_RANGES: Final = 100


@router.get("/api/annotations/{number:int}")
async def get_annotations(number: int, viewer: TokenReader, kept: KeptDep) -> Response:
    entry = await find_entry(kept, viewer, number)
    rows = await asyncio.to_thread(annotations_out, entry, viewer)
    return PlainJson({"total": len(rows), "rows": rows})


@router.post("/api/annotations/{number:int}")
async def post_annotation(number: int, fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    entry = await find_entry(kept, viewer, number)
    article = await kept.read(read_article, viewer, entry.card.media.id)
    quote, hint = await asyncio.to_thread(find_passage, article.html, article.canonical_text, fields)
    new = NewHighlight(quote, note=parse_highlight_note(fields.text("text")), hint=hint)
    made = await create_highlight(kept.database, viewer, entry.card.media.id, new, now=kept.now())
    return await answer_annotation(kept, viewer, await kept.read(number_highlight, viewer, made.id))


@router.put("/api/annotations/{number:int}")
async def put_annotation(number: int, fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    """Change the text of an annotation; nothing else can be changed, as in wallabag."""
    highlight_id = await kept.read(find_by_number, viewer, NumberKind.HIGHLIGHT, number)
    change = HighlightChange(note=fields.text("text"), changes_note="text" in fields)
    await kept.write(change_highlight, viewer, highlight_id, change, now=kept.now())
    return await answer_annotation(kept, viewer, await kept.read(number_highlight, viewer, highlight_id))


@router.delete("/api/annotations/{number:int}")
async def delete_annotation(number: int, viewer: TokenWriter, kept: KeptDep) -> Response:
    """Delete an annotation and return it as it was."""
    highlight_id = await kept.read(find_by_number, viewer, NumberKind.HIGHLIGHT, number)
    placed = await kept.read(number_highlight, viewer, highlight_id)
    await kept.write(remove_highlight, viewer, highlight_id, now=kept.now())
    return await answer_annotation(kept, viewer, placed)


async def answer_annotation(kept: Kept, viewer: Viewer, placed: PlacedHighlight) -> Response:
    def write() -> Response:
        html = SafeHtml.admit(placed.html) if placed.html else None
        [place] = write_ranges(html, [placed.numbered.highlight.span]) if html else [None]
        return PlainJson(annotation_out(placed.numbered, place, viewer))

    return await asyncio.to_thread(write)


def find_passage(html: SafeHtml, text: str, fields: Fields) -> tuple[Quote, int | None]:
    """Return the quote as the article has it, and where it begins."""
    places = ArticlePlaces(html)
    span = next((span for one in parse_ranges(fields) if (span := places.find_span(one))), None)
    said = fields.text("quote") or ""
    if span is not None and squeeze(said) in ("", squeeze(text[span.start : span.end])):
        return parse_quote(text[span.start : span.end]), span.start
    if not said.strip():
        raise InvalidRequest("An annotation needs a quote, or a range in the article.")
    return parse_quote(said), span.start if span else None


def squeeze(text: str) -> str:
    """Remove white space: a browser's quote has none between two paragraphs."""
    return "".join(text.split())


def parse_ranges(fields: Fields) -> list[XPathRange]:
    """Parse the ranges: a JSON list, or in a form the text of one."""
    said = fields.find("ranges")
    if isinstance(said, str):
        try:
            said = json.loads(said)
        except (ValueError, RecursionError):
            return []
    return [one for row in (said[:MAX_RANGES] if isinstance(said, list) else ()) if (one := parse_range(row))]


def parse_range(said: object) -> XPathRange | None:
    if not isinstance(said, dict):
        return None
    start, end = said.get("start"), said.get("end")
    offsets = [parse_offset(said.get(name)) for name in ("startOffset", "endOffset")]
    if not isinstance(start, str) or not isinstance(end, str) or None in offsets:
        return None
    return XPathRange(start, offsets[0] or 0, end, offsets[1] or 0)


def parse_offset(value: object) -> int | None:
    """Parse an offset: the Android app sends numbers, others send text."""
    return parse_integer(value) if isinstance(value, str) else value if isinstance(value, int) else None
