"""Queries about highlights. People read only what `is_readable_by` allows: their own, of pages they may still see."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Text,
    and_,
    bindparam,
    case,
    cast,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    update,
)

from kept import ids
from kept.domain.highlight import Colour, Highlight, HighlightRoom, HighlightState, Mark, Quote, Span
from kept.storage.database.dialects import Columns, Query
from kept.storage.database.engine import Connection
from kept.storage.tables import former_texts, fragments, highlights, items, libraries, library_members

HIGHLIGHT_COLUMNS: Final = (
    highlights.c.id,
    highlights.c.user_id,
    highlights.c.media_id,
    highlights.c.start_offset,
    highlights.c.end_offset,
    highlights.c.quote,
    highlights.c.prefix,
    highlights.c.suffix,
    highlights.c.colour,
    highlights.c.note,
    highlights.c.anchored_version,
    highlights.c.created_at,
    highlights.c.updated_at,
)
# The order of the text; highlights without a place in it come last.
IN_TEXT_ORDER: Final = (
    highlights.c.start_offset.is_(None),
    highlights.c.start_offset,
    highlights.c.end_offset,
    highlights.c.created_at,
    highlights.c.id,
)

NO_HINTS: Final[Mapping[UUID, int | None]] = {}


def highlight_of_columns(row: Columns) -> Highlight:
    """Make a highlight from a row of HIGHLIGHT_COLUMNS."""
    highlight_id, user_id, media_id, start, end, exact, prefix, suffix, colour, *rest = row
    span = None if start is None else Span(start, end)
    return Highlight(highlight_id, user_id, media_id, span, Quote(exact, prefix, suffix), Colour(colour), *rest)


def row_of(highlight: Highlight) -> dict[str, object]:
    span, quote = highlight.span, highlight.quote
    return {
        "id": highlight.id,
        "user_id": highlight.user_id,
        "media_id": highlight.media_id,
        "start_offset": span.start if span else None,
        "end_offset": span.end if span else None,
        "quote": quote.exact,
        "prefix": quote.prefix,
        "suffix": quote.suffix,
        "colour": highlight.colour,
        "note": highlight.note,
        "anchored_version": highlight.anchored_version,
        "created_at": highlight.created_at,
        "updated_at": highlight.updated_at,
    }


# --- reading ----------------------------------------------------------------------------------------------------


def is_own(user_id: UUID | BindParameter[UUID]) -> ColumnElement[bool]:
    return and_(highlights.c.user_id == user_id, highlights.c.removed_at.is_(None))


def is_held_by(user_id: UUID) -> ColumnElement[bool]:
    """Return the condition that one of the user's libraries holds a highlight's media.

    It is no `EXISTS`: PostgreSQL would make that a join over all highlights before it sorts for the newest.
    """
    held = (
        select(items.c.id)
        .join(library_members, library_members.c.library_id == items.c.library_id)
        .where(items.c.media_id == highlights.c.media_id, library_members.c.user_id == user_id)
        .limit(1)
    )
    return held.correlate(highlights).scalar_subquery().is_not(None)


def is_readable_by(user_id: UUID) -> ColumnElement[bool]:
    """Return the condition for the user's own highlights of media that one of their libraries holds."""
    return and_(is_own(user_id), is_held_by(user_id))


def find_highlight(tx: Connection, highlight_id: UUID, user_id: UUID) -> Highlight | None:
    query = select(*HIGHLIGHT_COLUMNS).where(highlights.c.id == highlight_id, is_readable_by(user_id))
    row = tx.execute(query).one_or_none()
    return highlight_of_columns(row) if row else None


def count_own(tx: Connection, user_id: UUID) -> int:
    """Count the user's highlights of pages that they can still read."""
    return int(tx.execute(select(func.count()).select_from(highlights).where(is_readable_by(user_id))).scalar_one())


def list_page_of_media(tx: Connection, user_id: UUID, media_id: UUID, *, offset: int, limit: int) -> list[Highlight]:
    """List some of the user's highlights of a checked media, in the order of the text."""
    own = select(*HIGHLIGHT_COLUMNS).where(is_own(user_id), highlights.c.media_id == media_id)
    rows = tx.execute(own.order_by(*IN_TEXT_ORDER).offset(offset).limit(limit))
    return [highlight_of_columns(row) for row in rows]


def list_of_media(tx: Connection, user_id: UUID, media_ids: Collection[UUID]) -> dict[UUID, list[Highlight]]:
    """List the user's highlights of checked media, by media, each in the order of the text."""
    query = select(*HIGHLIGHT_COLUMNS).where(is_own(user_id), highlights.c.media_id.in_(media_ids))
    found: dict[UUID, list[Highlight]] = {}
    for row in tx.execute(query.order_by(highlights.c.media_id, *IN_TEXT_ORDER)):
        highlight = highlight_of_columns(row)
        found.setdefault(highlight.media_id, []).append(highlight)
    return found


class MediaSummary(NamedTuple):
    """The counts and the places of a person's highlights in a media."""

    totals: Mapping[HighlightState, int]
    marks: str
    """A line for each highlight that has a place, for `parse_marks`. It is one text, because it is compared more often
    than parsed, and a thousand rows would take ten times as long."""


SPELT: Final = [cast(column, Text) for column in (highlights.c.id, highlights.c.start_offset, highlights.c.end_offset)]
MARK: Final = reduce(lambda line, word: line + " " + word, [*SPELT, highlights.c.colour])
NOTED: Final = case((highlights.c.note.is_(None), ""), else_=" noted")


def summarise(tx: Connection, user_id: UUID, media_id: UUID) -> MediaSummary:
    """Summarise the user's highlights of a media that the caller has checked."""
    line = case((highlights.c.start_offset.is_not(None), MARK + NOTED))
    searched = func.count(highlights.c.anchored_version).filter(highlights.c.start_offset.is_(None))
    counts = (func.count(), func.count(highlights.c.start_offset), searched, func.aggregate_strings(line, "\n"))
    query = select(*counts).where(is_own(user_id), highlights.c.media_id == media_id)
    total, anchored, not_found, marks = tx.execute(query).one()
    waiting = total - anchored - not_found
    states = (HighlightState.ANCHORED, HighlightState.NOT_FOUND, HighlightState.WAITING)
    return MediaSummary(dict(zip(states, (anchored, not_found, waiting), strict=True)), marks or "")


def parse_marks(marks: str) -> list[Mark]:
    """Parse the marks of a MediaSummary, in the order of the text."""
    found = (parse_mark(*line.split(" ")) for line in marks.splitlines())
    return sorted(found, key=lambda mark: (mark.span.start, mark.span.end, mark.id))


def parse_mark(key: str, start: str, end: str, colour: str, *noted: str) -> Mark:
    return Mark(UUID(key), Span(int(start), int(end)), Colour(colour), bool(noted))


def is_in_state(state: HighlightState) -> ColumnElement[bool]:
    if state is HighlightState.ANCHORED:
        return highlights.c.start_offset.is_not(None)
    was_searched = highlights.c.anchored_version.is_not(None)
    return and_(
        highlights.c.start_offset.is_(None), was_searched if state is HighlightState.NOT_FOUND else ~was_searched
    )


def list_in_state(tx: Connection, user_id: UUID, media_id: UUID, state: HighlightState, limit: int) -> list[Highlight]:
    """List the first of the user's highlights of a checked media in one state, in the order of the text."""
    own = select(*HIGHLIGHT_COLUMNS).where(is_own(user_id), highlights.c.media_id == media_id, is_in_state(state))
    _, *in_order = IN_TEXT_ORDER  # of one state: all have a place, or none has
    return [highlight_of_columns(row) for row in tx.execute(own.order_by(*in_order).limit(limit))]


def measure_room(tx: Connection, user_id: UUID, media_id: UUID) -> HighlightRoom:
    length = func.length(highlights.c.quote) + func.coalesce(func.length(highlights.c.note), 0)
    query = select(func.count(), func.coalesce(func.sum(length), 0))
    return HighlightRoom(*tx.execute(query.where(is_own(user_id), highlights.c.media_id == media_id)).one())


# --- changing ---------------------------------------------------------------------------------------------------


def insert_highlights(tx: Connection, new: Iterable[Highlight], hints: Mapping[UUID, int | None] = NO_HINTS) -> None:
    """Insert highlights; `hints` are for those whose place is yet to be found."""
    rows = [row_of(highlight) | {"hint": hints.get(highlight.id)} for highlight in new]
    if rows:
        tx.execute(highlights.insert(), rows)


def update_highlight(tx: Connection, highlight_id: UUID, **columns: object) -> None:
    tx.execute(update(highlights).where(highlights.c.id == highlight_id).values(**columns))


def restore_removed(tx: Connection, highlight_id: UUID, user_id: UUID) -> bool:
    """Restore a removed highlight; return whether there was one."""
    removed = (highlights.c.id == highlight_id, highlights.c.user_id == user_id, highlights.c.removed_at.is_not(None))
    return tx.execute(update(highlights).where(*removed).values(removed_at=None)).rowcount == 1


def forget_removed_before(tx: Connection, then: datetime) -> None:
    tx.execute(delete(highlights).where(highlights.c.removed_at < then))


# --- anchoring --------------------------------------------------------------------------------------------------


# Its quote was not looked for yet, or in another version of the text; also of those that may be restored.
NEEDS_ANCHORING: Final = and_(
    highlights.c.media_id == bindparam("media_id"),
    or_(highlights.c.anchored_version.is_(None), highlights.c.anchored_version != bindparam("version")),
)
HAS_UNANCHORED: Final = select(exists().where(NEEDS_ANCHORING))


def has_unanchored(tx: Connection, media_id: UUID, version: int) -> bool:
    return bool(tx.execute(HAS_UNANCHORED, {"media_id": media_id, "version": version}).scalar_one())


@dataclass(frozen=True, slots=True)
class Unanchored:
    """A highlight whose place is to be found, and where it was before."""

    highlight: Highlight
    hint: int | None
    former_end: int | None
    former_text_id: UUID | None


def list_unanchored(tx: Connection, media_id: UUID, version: int, *, limit: int) -> list[Unanchored]:
    former = (highlights.c.hint, highlights.c.former_end, highlights.c.former_text_id)
    wanted = select(*HIGHLIGHT_COLUMNS, *former).where(NEEDS_ANCHORING)
    rows = tx.execute(wanted.order_by(highlights.c.id).limit(limit), {"media_id": media_id, "version": version})
    return [Unanchored(highlight_of_columns(row[: -len(former)]), *row[-len(former) :]) for row in rows]


def set_anchors(tx: Connection, anchored: Iterable[Highlight]) -> None:
    """Store the places that were found; a highlight that moved to another media meanwhile is left alone."""
    for found in anchored:
        row = row_of(found)
        place = {name: row[name] for name in ("start_offset", "end_offset", "prefix", "suffix", "anchored_version")}
        if found.span is not None:
            place |= {"former_text_id": None, "former_end": None}
        same = (highlights.c.id == found.id, highlights.c.media_id == found.media_id)
        tx.execute(update(highlights).where(*same).values(place))


def list_owners(tx: Connection, media_id: UUID) -> set[UUID]:
    return set(tx.execute(select(highlights.c.user_id).distinct().where(highlights.c.media_id == media_id)).scalars())


def list_holders(tx: Connection, media_id: UUID) -> set[UUID]:
    """Return the members of all libraries that hold a media."""
    held = select(library_members.c.user_id).join(items, items.c.library_id == library_members.c.library_id)
    return set(tx.execute(held.where(items.c.media_id == media_id)).scalars())


def list_followers(tx: Connection, old_id: UUID, new_id: UUID) -> set[UUID]:
    """Return the users with highlights on a page's old copy whose own library shows the new one, or whose libraries no
    longer show the old one."""
    beside = items.alias("beside")
    has_new = exists().where(beside.c.library_id == items.c.library_id, beside.c.media_id == new_id).correlate(items)
    showing_old = select(items.c.library_id).where(items.c.media_id == old_id, ~has_new)
    showing_new = select(items.c.library_id).where(items.c.media_id == new_id)
    with_new = select_members(showing_new).where(library_members.c.user_id.in_(list_owners(tx, old_id)))
    of_own = select(libraries.c.owner_id).where(libraries.c.is_default, libraries.c.id.in_(showing_new))
    follows = or_(library_members.c.user_id.in_(of_own), library_members.c.user_id.not_in(select_members(showing_old)))
    return set(tx.execute(with_new.where(follows)).scalars())


def select_members(library_ids: Query) -> Query:
    return select(library_members.c.user_id).where(library_members.c.library_id.in_(library_ids))


def move_highlights(tx: Connection, old_id: UUID, new_id: UUID, user_ids: Collection[UUID]) -> None:
    """Move highlights to another media, where their new places are then found from the old ones."""
    own = and_(highlights.c.media_id == old_id, highlights.c.user_id.in_(user_ids))
    has_place = highlights.c.start_offset.is_not(None)
    is_placed = bool(tx.scalar(select(exists().where(own, has_place))))
    former = {"former_text_id": keep_text(tx, old_id) if is_placed else None, "former_end": highlights.c.end_offset}
    tx.execute(update(highlights).where(own, has_place).values(hint=highlights.c.start_offset, **former))
    unanchored = {"start_offset": None, "end_offset": None, "anchored_version": None}
    tx.execute(update(highlights).where(own).values(media_id=new_id, **unanchored))


def keep_text(tx: Connection, media_id: UUID) -> UUID:
    """Keep a copy of a media's text beyond the media itself; return its id."""
    key = ids.new_id()
    text = select(literal(key, former_texts.c.id.type), fragments.c.canonical_text)
    tx.execute(
        former_texts.insert().from_select(["id", "canonical_text"], text.where(fragments.c.media_id == media_id))
    )
    return key


def find_former_text(tx: Connection, text_id: UUID) -> str | None:
    return tx.scalar(select(former_texts.c.canonical_text).where(former_texts.c.id == text_id))


def forget_former_texts(tx: Connection) -> None:
    """Delete former texts in which no highlight is left to be found."""
    is_wanted = exists().where(highlights.c.former_text_id == former_texts.c.id)
    tx.execute(delete(former_texts).where(~is_wanted))
