"""The job `anchor_highlights`, which finds the places of highlights in an article, and the marks for the reader."""

import asyncio
import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from threading import Lock
from typing import Final
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.content.article.highlights.alignment import Copies
from kept.content.article.highlights.anchoring import TextIndex, quote_at
from kept.content.article.highlights.marking import mark_highlights
from kept.content.article.safe_html import SafeHtml
from kept.domain.events import HIGHLIGHTS
from kept.domain.failures import FailureCode
from kept.domain.highlight import Highlight, Span
from kept.domain.job import ClaimedJob
from kept.storage import articles, events, highlights
from kept.storage.articles import Fragment
from kept.storage.database.engine import Connection, Database
from kept.storage.highlights import Unanchored, parse_marks
from kept.storage.queue import queue

log = structlog.get_logger("kept.highlights")
AT_ONCE: Final = 50
MOST_BYTES: Final = 32_000_000


class _KeptArticles:
    """The articles that were asked for last, up to a number of bytes together."""

    def __init__(self) -> None:
        self._articles: OrderedDict[bytes, SafeHtml] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def find(self, key: bytes) -> SafeHtml | None:
        with self._lock:
            found = self._articles.get(key)
            if found is not None:
                self._articles.move_to_end(key)
            return found

    def keep(self, key: bytes, marked: SafeHtml) -> None:
        with self._lock:
            if key not in self._articles:
                self._articles[key] = marked
                self._bytes += sys.getsizeof(str(marked))
            while self._bytes > MOST_BYTES:
                self._bytes -= sys.getsizeof(str(self._articles.popitem(last=False)[1]))


_KEPT: Final = _KeptArticles()


@dataclass(frozen=True, slots=True)
class _Article:
    """An article, and those of its earlier copies from which highlights were moved."""

    text: TextIndex
    version: int
    copies: dict[UUID, Copies | None] = field(default_factory=dict)

    def anchor(self, some: Sequence[Unanchored]) -> list[Highlight]:
        return [replace(self._anchor_one(one), anchored_version=self.version) for one in some]

    def _anchor_one(self, one: Unanchored) -> Highlight:
        """Find the place of a highlight. Its quote stays as it is; a missing context is taken from the text."""
        span, quote = self._find(one), one.highlight.quote
        if span is not None and not (quote.prefix or quote.suffix):
            context = quote_at(self.text.text, span)
            quote = replace(quote, prefix=context.prefix, suffix=context.suffix)
        return replace(one.highlight, span=span, quote=quote)

    def _find(self, one: Unanchored) -> Span | None:
        copies = self.copies.get(one.former_text_id) if one.former_text_id else None
        if copies is None or one.hint is None or one.former_end is None:
            return self.text.reanchor(one.highlight.quote, one.hint)
        return copies.follow(Span(one.hint, one.former_end))


async def reanchor_highlights(database: Database, job: ClaimedJob) -> None:
    """Run the `anchor_highlights` job: find the places of a media's highlights in its article.

    Highlights that were moved from another copy are followed from its text into this one; what a file brought is looked
    for by its quote. The search runs outside any transaction, and results are written some at a time: 5,000 quotes in a
    long article take a while, and nobody else should wait for them. What is not found stays, without a place.
    """
    fragment = await database.read(articles.find_fragment, job.subject_id)
    user_ids = await _anchor_all(database, job.subject_id, fragment) if fragment is not None else set()
    await database.write(_finish, job, user_ids)


def _finish(tx: Connection, job: ClaimedJob, user_ids: Set[UUID]) -> None:
    queue.finish(tx, job)
    highlights.forget_former_texts(tx)
    for user_id in user_ids:
        events.publish_user_event(tx, user_id, job.subject_id, HIGHLIGHTS, utc_now())


async def _anchor_all(database: Database, media_id: UUID, fragment: Fragment) -> Set[UUID]:
    """Find the places of all highlights of a media; returns whose highlights they were."""
    article = _Article(TextIndex(fragment.canonical_text), fragment.canonical_version)
    looked_for, found, user_ids = 0, 0, set[UUID]()
    while some := await database.read(_list_some, media_id, fragment):
        await database.read(_read_former_texts, article, some)
        anchored = await asyncio.to_thread(article.anchor, some)
        await database.write(highlights.set_anchors, anchored)
        user_ids.update(one.user_id for one in anchored)
        looked_for, found = looked_for + len(some), found + sum(one.span is not None for one in anchored)
    log.info("highlights.anchored", media_id=str(media_id), looked_for=looked_for, found=found)
    return user_ids


def _list_some(tx: Connection, media_id: UUID, fragment: Fragment) -> list[Unanchored]:
    return highlights.list_unanchored(tx, media_id, fragment.canonical_version, limit=AT_ONCE)


def _read_former_texts(tx: Connection, article: _Article, some: Sequence[Unanchored]) -> None:
    for text_id in {one.former_text_id for one in some if one.former_text_id} - article.copies.keys():
        text = highlights.find_former_text(tx, text_id)
        copies = Copies(TextIndex(text), article.text) if text else None
        article.copies[text_id] = copies if copies and copies.can_be_compared else None


async def abandon_anchoring(database: Database, job: ClaimedJob, code: FailureCode, message: str) -> None:
    """Leave the highlights without a place; the executor calls this when the attempts to find them are used up."""
    await database.write(queue.finish, job)
    log.warning("highlights.given_up", media_id=str(job.subject_id), code=code, reason=message)


def mark_article(fragment_id: UUID | None, marks: str, read_html: Callable[[], SafeHtml]) -> SafeHtml:
    """Mark somebody's highlights in an article, for pages and the API. The latest ones are kept in memory.

    Whoever highlights an article reads it again after each highlight, and with a thousand of them marking takes longer
    than everything else a page needs. The key in memory is the article with all of its marks as the database has them,
    so that a change by another process is another key.

    `marks` are as `storage.highlights` describes them, without those that have no place in this copy. The article is
    read only if it has to be: a fragment never changes.
    """
    if not marks:
        return read_html()
    key = blake2b(f"{fragment_id} {marks}".encode(), digest_size=32).digest()
    marked = _KEPT.find(key)
    if marked is None:
        marked = mark_highlights(read_html(), parse_marks(marks))
        _KEPT.keep(key, marked)
    return marked
