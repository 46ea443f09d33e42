"""Figures read from the database: the queue's overview, reading statistics, success of saves, and orphans."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, and_, distinct, exists, func, not_, select, tuple_

from kept.domain.attempt import AttemptRecord
from kept.domain.lifecycle import FAILED, Lifecycle
from kept.domain.statistics import Moment, Tally, Waiting
from kept.storage.copies import is_in_list
from kept.storage.database.dialects import Query, format_time, host_of
from kept.storage.database.engine import Connection
from kept.storage.items import held_by_member
from kept.storage.tables import items, jobs, library_members, media, reading_states, removed_items, transitions

SHOWN: Final = 50
# A page may be in several of one's libraries; it is listed once, under the first.
SHELVES: Final = 4
BATCH: Final = 5_000
# Tables whose rows keep the media they name.
HOLDERS: Final = (items, removed_items)
# A page that is being fetched is not judged yet; a job that stores images is no reason to keep a page.
AT_WORK: Final = ("ingest", "render")


@dataclass(frozen=True, slots=True)
class Work:
    """A job, under the item through which the viewer sees its page."""

    item_id: UUID
    title: str | None
    url: str
    kind: str
    attempt: int
    run_at: datetime


@dataclass(frozen=True, slots=True)
class Failure:
    item_id: UUID
    title: str | None
    url: str
    code: str | None
    message: str | None


@dataclass(frozen=True, slots=True)
class CardStep:
    """One line of a card's history: what a fetch or a browser found, and when."""

    media_id: UUID
    sort_key: int
    saved_at: datetime
    at: datetime
    to_state: str
    record: AttemptRecord


def running_at(now: datetime) -> ColumnElement[bool]:
    return and_(jobs.c.lease_until.is_not(None), jobs.c.lease_until > now)


def select_work(user_id: UUID, *columns: Any) -> Query:
    seen_items = items.join(library_members, library_members.c.library_id == items.c.library_id)
    return (
        select(*columns)
        .select_from(jobs.join(seen_items, items.c.media_id == jobs.c.subject_id))
        .join(media, media.c.id == items.c.media_id)
        .where(library_members.c.user_id == user_id)
    )


def count_work(tx: Connection, user_id: UUID, now: datetime, *, running: bool) -> int:
    condition = running_at(now) if running else not_(func.coalesce(running_at(now), False))
    query = select_work(user_id, func.count(jobs.c.id.distinct())).where(condition)
    return int(tx.execute(query).scalar_one())


def list_work(tx: Connection, user_id: UUID, now: datetime, *, running: bool) -> list[Work]:
    condition = running_at(now) if running else not_(func.coalesce(running_at(now), False))
    columns = (items.c.id, func.coalesce(items.c.title, media.c.title), items.c.url)
    query = select_work(user_id, *columns, jobs.c.kind, jobs.c.attempt, jobs.c.run_at, jobs.c.id)
    ordered = query.where(condition).order_by(jobs.c.priority, jobs.c.run_at, jobs.c.id, items.c.id)
    found: dict[UUID, Work] = {}
    for *values, job_id in tx.execute(ordered.limit(SHOWN * SHELVES)):
        found.setdefault(job_id, Work(*values))
    return list(found.values())[:SHOWN]


def select_failures(user_id: UUID, *columns: Any) -> Query:
    """Select those failed pages of the user's libraries that can be retried."""
    return (
        select(*columns)
        .select_from(media.join(items, items.c.media_id == media.c.id))
        .join(library_members, library_members.c.library_id == items.c.library_id)
        .where(library_members.c.user_id == user_id, media.c.processing_status.in_(FAILED))
    )


def count_failures(tx: Connection, user_id: UUID) -> list[tuple[str | None, int]]:
    """Count failed pages by reason, the most frequent first."""
    count = func.count(media.c.id.distinct())
    query = select_failures(user_id, media.c.failure_code, count).group_by(media.c.failure_code)
    found = tx.execute(query.order_by(count.desc(), media.c.failure_code))
    return [(code, number) for code, number in found]


def list_failures(tx: Connection, user_id: UUID, code: str | None, *, limit: int) -> list[Failure]:
    title = func.coalesce(items.c.title, media.c.title)
    told = (media.c.failure_code, media.c.failure_message)
    query = (
        select_failures(user_id, items.c.id, title, items.c.url, *told, media.c.id)
        .where(media.c.failure_code.is_not_distinct_from(code))
        .order_by(media.c.failed_at.desc(), media.c.id, items.c.id)
        .limit(limit * SHELVES)
    )
    found: dict[UUID, Failure] = {}
    for *values, media_id in tx.execute(query):
        found.setdefault(media_id, Failure(*values))
    return list(found.values())[:limit]


def list_read(tx: Connection, user_id: UUID, since: datetime, *, by_minute: bool) -> list[Moment]:
    """Return what a person read, by hour or minute: a day is known only in the reader's time zone."""
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
    """Return the sites whose articles were read most, by name, or by host where they have none."""
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
    """Count the unread articles and their words; a page in several libraries counts once."""
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


def list_card_steps(tx: Connection, since: datetime, after: CardStep | None) -> list[CardStep]:
    """Return the next BATCH of card steps, the steps of one page after each other in their order."""
    place = (media.c.id, transitions.c.sort_key)
    columns = (media.c.created_at, transitions.c.created_at, transitions.c.to_state, transitions.c.metadata)
    query = (
        select(*place, *columns)
        .join(transitions, transitions.c.media_id == media.c.id)
        .where(media.c.created_at >= since, transitions.c.lifecycle == Lifecycle.ENRICHMENT)
        .order_by(*place)
        .limit(BATCH)
    )
    if after is not None:
        query = query.where(tuple_(*place) > (after.media_id, after.sort_key))
    return [CardStep(*row[:-1], AttemptRecord.from_json(row[-1])) for row in tx.execute(query)]


def count_shared_pages(tx: Connection, since: datetime) -> tuple[int, int]:
    """Return how many pages were saved, and how many of them are in several libraries although stored once."""
    held = (
        select(items.c.media_id, func.count(distinct(items.c.library_id)).label("libraries"))
        .where(items.c.created_at >= since)
        .group_by(items.c.media_id)
        .subquery()
    )
    shared = func.count().filter(held.c.libraries > 1)
    pages, several = tx.execute(select(func.count(), shared).select_from(held)).one()
    return pages, several


def count_double_pages(tx: Connection) -> int:
    """Count the URLs under which two current copies of a page are stored. There should be none."""
    double = (
        select(media.c.canonical_url)
        .where(media.c.canonical_url.is_not(None))
        .group_by(media.c.kind, media.c.canonical_url)
        .having(func.count() > 1)
        .subquery()
    )
    return int(tx.execute(select(func.count()).select_from(double)).scalar_one())


def is_orphan() -> ColumnElement[bool]:
    """Return the condition for a media that no library holds and no job works on."""
    condition: ColumnElement[bool] = ~exists().where(jobs.c.subject_id == media.c.id, jobs.c.kind.in_(AT_WORK))
    for table in HOLDERS:
        condition = condition & ~exists().where(table.c.media_id == media.c.id)
    return condition


def list_orphans(tx: Connection, *, limit: int) -> list[UUID]:
    return list(tx.execute(select(media.c.id).where(is_orphan()).limit(limit)).scalars())


def lock_if_orphan(tx: Connection, media_id: UUID) -> bool:
    """Lock a media, so that no item of it can be inserted, and return whether nothing holds it.

    It locks before it looks: on PostgreSQL an uncommitted item holds the row, and only a later statement sees it.
    """
    locked = tx.execute(select(media.c.id).where(media.c.id == media_id).with_for_update()).first()
    if locked is None:
        return False
    return bool(tx.execute(select(exists().where(media.c.id == media_id, is_orphan()))).scalar_one())


def find_existing(tx: Connection, media_ids: Iterable[UUID]) -> set[UUID]:
    return set(tx.execute(select(media.c.id).where(media.c.id.in_(list(media_ids)))).scalars())
