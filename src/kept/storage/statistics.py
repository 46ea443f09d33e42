"""Queries about what one person has read and saved. Each is one pass over that person's rows."""

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import and_, func, select

from kept.domain.statistics import Moment, Tally, Waiting
from kept.storage.copies import is_in_list
from kept.storage.database.dialects import format_time, host_of
from kept.storage.database.engine import Connection
from kept.storage.items import held_by_member
from kept.storage.tables import items, media, reading_states


def list_read(tx: Connection, user_id: UUID, since: datetime, *, by_minute: bool) -> list[Moment]:
    """By the hour or the minute: a day is known only in the reader's time zone."""
    time = format_time(tx, reading_states.c.read_at, by_minute=by_minute)
    query = (
        select(time, func.count(), func.coalesce(func.sum(media.c.word_count), 0))
        .join(media, media.c.id == reading_states.c.media_id)
        .where(reading_states.c.user_id == user_id, reading_states.c.read_at >= since)
        .group_by(time)
    )
    return [Moment(_parse(text), Tally(articles=number, words=words)) for text, number, words in tx.execute(query)]


def list_saved(tx: Connection, user_id: UUID, since: datetime, *, by_minute: bool) -> list[Moment]:
    time = format_time(tx, items.c.created_at, by_minute=by_minute)
    query = select(time, func.count()).where(items.c.added_by == user_id, items.c.created_at >= since)
    return [Moment(_parse(text), Tally(saved=number)) for text, number in tx.execute(query.group_by(time))]


def _parse(time: str) -> datetime:
    return datetime.fromisoformat(time).replace(tzinfo=UTC)


def list_sites(tx: Connection, user_id: UUID, since: datetime, *, limit: int) -> list[tuple[str, int]]:
    """The sites most was read of, by their name, or by their host where they have none."""
    site = func.coalesce(media.c.site_name, host_of(tx, media.c.canonical_url))
    number = func.count()
    query = (
        select(site, number)
        .join(reading_states, reading_states.c.media_id == media.c.id)
        .where(reading_states.c.user_id == user_id, reading_states.c.read_at >= since, site.is_not(None))
        .group_by(site)
        .order_by(number.desc(), site)
        .limit(limit)
    )
    return [(name, count) for name, count in tx.execute(query)]


def count_waiting(tx: Connection, user_id: UUID) -> Waiting:
    """A page that stands in several libraries counts once."""
    own_state = and_(reading_states.c.media_id == items.c.media_id, reading_states.c.user_id == user_id)
    pages = (
        select(media.c.id, media.c.word_count)
        .join(items, items.c.media_id == media.c.id)
        .outerjoin(reading_states, own_state)
        .where(held_by_member(user_id), is_in_list(), media.c.word_count.is_not(None))
        .where(reading_states.c.read_at.is_(None), func.coalesce(reading_states.c.is_archived, False).is_(False))
        .distinct()
        .subquery()
    )
    row = tx.execute(select(func.count(), func.coalesce(func.sum(pages.c.word_count), 0)).select_from(pages)).one()
    return Waiting(*row)
