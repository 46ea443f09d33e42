"""The `anchor_highlights` job: finds the places of a media's highlights in its article, by their quotes.

A quote is looked for outside any transaction, and some of them are written at a time: 5,000 quotes in a long article
take a while, and nobody else shall wait for them. What is not found stays, without a place.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

import structlog

from kept.content.article.anchoring import quote_at, reanchor
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
    looked_for = found = 0
    while fragment is not None:
        some = await database.read(_list_some, fragment, job.subject_id)
        if not some:
            break
        anchored = await asyncio.to_thread(_anchor, fragment, some)
        await database.write(highlights.set_anchors, anchored)
        looked_for, found = looked_for + len(some), found + sum(one.span is not None for one in anchored)
    await database.write(queue.finish, job)
    log.info("highlights.anchored", media_id=str(job.subject_id), looked_for=looked_for, found=found)


def _list_some(tx: Connection, fragment: Fragment, media_id: UUID) -> _Unanchored:
    return highlights.list_unanchored(tx, media_id, fragment.canonical_version, limit=AT_ONCE)


def _anchor(fragment: Fragment, unanchored: _Unanchored) -> list[Highlight]:
    return [_anchor_one(fragment, highlight, hint) for highlight, hint in unanchored]


def _anchor_one(fragment: Fragment, highlight: Highlight, hint: int | None) -> Highlight:
    """The words stay as they were marked; a context that nobody gave is taken from the text."""
    span, quote = reanchor(fragment.canonical_text, highlight.quote, hint), highlight.quote
    if span is not None and not (quote.prefix or quote.suffix):
        context = quote_at(fragment.canonical_text, span)
        quote = replace(quote, prefix=context.prefix, suffix=context.suffix)
    return replace(highlight, span=span, quote=quote, anchored_version=fragment.canonical_version)
