"""Queries about work in progress, as far as one viewer may see: what waits, what runs, what failed and why."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, not_, select

from kept.domain.lifecycle import FAILED
from kept.storage.database.engine import Connection
from kept.storage.database.statements import Query
from kept.storage.tables import items, jobs, library_members, media

SHOWN: Final = 50
# A page may stand on several of one's shelves; it is listed once, under the first.
SHELVES: Final = 4


@dataclass(frozen=True, slots=True)
class Work:
    """One job, under the item through which the viewer sees its page."""

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
    """Only those that can be tried again."""
    return (
        select(*columns)
        .select_from(media.join(items, items.c.media_id == media.c.id))
        .join(library_members, library_members.c.library_id == items.c.library_id)
        .where(library_members.c.user_id == user_id, media.c.processing_status.in_(FAILED))
    )


def count_failures(tx: Connection, user_id: UUID) -> list[tuple[str | None, int]]:
    """By reason, the most frequent first."""
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
