"""Add highlights that came with a file to pages one person has. Their places are found once there is an article.

Called in the transaction of an import's batch. Importing a file again adds nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from kept.domain.events import HIGHLIGHTS
from kept.domain.highlight import Highlight, HighlightRoom, NewHighlight
from kept.domain.synced import NumberKind
from kept.ids import new_id
from kept.services.pages.states import queue_anchoring
from kept.storage import events, highlights, numbers
from kept.storage.database.engine import Connection
from kept.storage.search import index

_Key = tuple[str, tuple[str, str] | None, datetime | str | None]
"""What tells whether a highlight is there already: its words, its context if a file gives one, its time or its note."""


def import_highlights(
    tx: Connection, user_id: UUID, brought: Mapping[UUID, Sequence[NewHighlight]], *, now: datetime
) -> set[UUID]:
    """By media. Returns those whose highlights a worker is asked to find: for the notifier, after the commit."""
    for media_id, new in brought.items():
        known = highlights.list_of_media(tx, user_id, [media_id]).get(media_id, [])
        fresh = _fit(_leave_out_known(new, known), highlights.measure_room(tx, user_id, media_id))
        added = [(_highlight_of(user_id, media_id, one, now), one) for one in fresh]
        rows = [highlight for highlight, _ in added]
        highlights.insert_highlights(tx, rows, {highlight.id: one.hint for highlight, one in added})
        numbered = {highlight.id: one.number for highlight, one in added if one.number}
        numbers.restore(tx, NumberKind.HIGHLIGHT, numbered)
        index.index_highlights(tx, rows)
        if rows:
            events.publish_user_event(tx, user_id, media_id, HIGHLIGHTS, now)
    return {media_id for media_id in brought if queue_anchoring(tx, media_id, now=now)}


def _leave_out_known(new: Sequence[NewHighlight], known: Sequence[Highlight]) -> list[NewHighlight]:
    seen = {key for highlight in known for key in _known_keys(highlight)}
    fresh: dict[_Key, NewHighlight] = {}
    for one in new:
        key = _key_of(one)
        if key not in seen:
            fresh.setdefault(key, one)
    return list(fresh.values())


def _fit(fresh: Sequence[NewHighlight], room: HighlightRoom) -> Iterator[NewHighlight]:
    """As many as there is room for."""
    for one in fresh:
        room = room.add(one.quote, one.note)
        if room.is_exceeded:
            return
        yield one


def _key_of(new: NewHighlight) -> _Key:
    """A file that tells when it was marked tells it every time; its note may have been changed here."""
    context = (new.quote.prefix, new.quote.suffix)
    sign = new.created_at or new.note
    return _fold(new.quote.exact), context if any(context) else None, sign


def _known_keys(highlight: Highlight) -> Iterator[_Key]:
    """Of files with and without the context, with and without the time."""
    words, quote = _fold(highlight.quote.exact), highlight.quote
    for context in (None, (quote.prefix, quote.suffix)):
        for sign in (highlight.created_at, highlight.note):
            yield words, context, sign


def _fold(words: str) -> str:
    return " ".join(words.split())


def _highlight_of(user_id: UUID, media_id: UUID, brought: NewHighlight, now: datetime) -> Highlight:
    return Highlight(
        id=new_id(),
        user_id=user_id,
        media_id=media_id,
        span=None,
        quote=brought.quote,
        colour=brought.colour,
        note=brought.note,
        anchored_version=None,
        created_at=brought.created_at or now,
        updated_at=brought.updated_at or brought.created_at or now,
    )
