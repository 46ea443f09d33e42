"""The `anchor_highlights` job: finds the places of a media's highlights in its article, by their quotes.

A quote is looked for outside any transaction, and some of them are written at a time: 5,000 quotes in a long article
take a while, and nobody else shall wait for them. What is not found stays, without a place.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

import structlog

from kept.content.article.anchoring import TextIndex, quote_at
from kept.domain.highlight import Highlight
from kept.domain.job import ClaimedJob
from kept.storage import articles, highlights
from kept.storage.articles import Fragment
from kept.storage.database.engine import Connection, Database
from kept.storage.jobs import queue

log = structlog.get_logger("kept.highlights")

AT_ONCE: Final = 50

_Unanchored = Sequence[tuple[Highlight, int | None]]


async def reanchor_highlights(database: Database, job: ClaimedJob) -> None:
    fragment = await database.read(articles.find_fragment, job.subject_id)
    if fragment is not None:
        await _anchor_all(database, job.subject_id, fragment)
    await database.write(queue.finish, job)


async def _anchor_all(database: Database, media_id: UUID, fragment: Fragment) -> None:
    text, looked_for, found = TextIndex(fragment.canonical_text), 0, 0
    while some := await database.read(_list_some, media_id, fragment):
        anchored = await asyncio.to_thread(_anchor, text, fragment.canonical_version, some)
        await database.write(highlights.set_anchors, anchored)
        looked_for, found = looked_for + len(some), found + sum(one.span is not None for one in anchored)
    log.info("highlights.anchored", media_id=str(media_id), looked_for=looked_for, found=found)


def _list_some(tx: Connection, media_id: UUID, fragment: Fragment) -> _Unanchored:
    return highlights.list_unanchored(tx, media_id, fragment.canonical_version, limit=AT_ONCE)


def _anchor(text: TextIndex, version: int, unanchored: _Unanchored) -> list[Highlight]:
    return [replace(_anchor_one(text, highlight, hint), anchored_version=version) for highlight, hint in unanchored]


def _anchor_one(text: TextIndex, highlight: Highlight, hint: int | None) -> Highlight:
    """The words stay as they were marked; a context that nobody gave is taken from the text."""
    span, quote = text.reanchor(highlight.quote, hint), highlight.quote
    if span is not None and not (quote.prefix or quote.suffix):
        context = quote_at(text.text, span)
        quote = replace(quote, prefix=context.prefix, suffix=context.suffix)
    return replace(highlight, span=span, quote=quote)
