"""Claiming: the only way a worker gets a job. Executors call this, a transaction for each claim.

A claim looks at one job, so that on PostgreSQL no two claims can each hold what the other needs.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self
from uuid import UUID, uuid4

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Executable,
    RowMapping,
    and_,
    bindparam,
    func,
    or_,
    select,
    text,
    update,
)

from kept.config import Settings
from kept.domain.attempt import LONGEST_WAIT_SECONDS, AttemptRecord
from kept.domain.job import ClaimedJob, JobKind, Priority, Queue
from kept.storage.database.dialects import by_dialect, insert_for, upsert
from kept.storage.database.engine import Connection
from kept.storage.queue import host_queues
from kept.storage.queue.queue import IS_HELD, RELEASED, held
from kept.storage.tables import hosts, jobs

# The wait before another look at a host with enough jobs in flight: short for a fetch, long for a claim.
FULL_HOST_SECONDS: Final = 0.2
# The number of jobs that people wait for among which one is searched for somebody who has none running.
NEWCOMERS_LOOKED_AT: Final = 500
# The number of due jobs that are counted: enough to tell a backlog, however long the queue.
DUE_COUNTED: Final = 300
# No lease and no gap is ever longer than its length; twice that leaves room for clocks that differ a little.
CLOCK_WENT_BACK: Final = 2

INDEXES_ONLY: Final = """
SELECT set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_sort', 'off', true)
"""


Moment = datetime | BindParameter[datetime]


def is_free_at(now: Moment, beyond_reason: Moment) -> ColumnElement[bool]:
    """Return the condition that nobody holds a job, its worker died, or its lease comes from a clock ahead of ours."""
    return or_(jobs.c.lease_until.is_(None), jobs.c.lease_until <= now, jobs.c.lease_until > beyond_reason)


def swapping_turn(dialect: str) -> Executable:
    """Return the compare-and-swap of a host's next turn."""
    may_go = or_(hosts.c.next_at <= bindparam("now"), hosts.c.next_at > bindparam("beyond_reason"))
    insert = insert_for(dialect, hosts).values(name=bindparam("of_host"), next_at=bindparam("turn"))
    swap = insert.on_conflict_do_update(index_elements=["name"], set_={"next_at": bindparam("turn")}, where=may_go)
    statement: Executable = swap.returning(hosts.c.name)
    return statement


# The statements of every claim.
COLUMNS: Final = tuple(jobs.c[name] for name in ClaimedJob.__dataclass_fields__ if name != "is_previous_lost")
IS_FREE: Final = is_free_at(bindparam("now"), bindparam("beyond_reason"))
IS_CLAIMABLE: Final = (jobs.c.queue == bindparam("of_queue"), ~jobs.c.is_queued_behind)
IS_WANTED: Final = jobs.c.kind.in_(bindparam("kinds", expanding=True))
IS_DUE_OF_ANY_KIND: Final = (*IS_CLAIMABLE, jobs.c.run_at <= bindparam("now"), IS_FREE)
IS_DUE: Final = (*IS_DUE_OF_ANY_KIND, IS_WANTED)
FIND_BEST: Final = (
    select(jobs.c.id, jobs.c.lease_token)
    .where(*IS_DUE)
    .order_by(jobs.c.priority, jobs.c.run_at)
    .limit(1)
    .with_for_update(skip_locked=True)
)
FIND_NEWCOMERS: Final = (
    select(jobs.c.id, jobs.c.actor_user_id)
    .where(*IS_DUE, jobs.c.priority == Priority.PERSON)
    .order_by(jobs.c.run_at)
    .limit(NEWCOMERS_LOOKED_AT)
)
LIST_DUE_KINDS: Final = (
    select(jobs.c.kind).where(*IS_DUE_OF_ANY_KIND).order_by(jobs.c.priority, jobs.c.run_at).limit(DUE_COUNTED)
)
FIND_FREE: Final = (
    select(jobs.c.id, jobs.c.lease_token)
    .where(jobs.c.id == bindparam("job_id"), IS_FREE)
    .with_for_update(skip_locked=True)
)
FIND_EARLIEST: Final = (
    select(jobs.c.run_at)
    .where(*IS_CLAIMABLE, jobs.c.lease_until.is_(None), jobs.c.priority == bindparam("of_priority"), IS_WANTED)
    .order_by(jobs.c.run_at)
    .limit(1)
)
LIST_LEASES: Final = select(jobs.c.queue, jobs.c.kind, jobs.c.lease_until).where(jobs.c.lease_until.is_not(None))
LEASE: Final = (
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"))
    .values(attempt=jobs.c.attempt + 1, lease_until=bindparam("until"), lease_token=bindparam("token"))
    .returning(*COLUMNS)
)
COUNT_IN_FLIGHT: Final = select(func.count()).where(
    jobs.c.host == bindparam("of_host"), jobs.c.lease_until.is_not(None), ~IS_FREE
)
FIND_TURN: Final = select(hosts.c.next_at).where(hosts.c.name == bindparam("of_host"))
SWAP_TURN: Final = by_dialect(swapping_turn)


@dataclass(frozen=True, slots=True)
class Claiming:
    """The rules of a claim, taken from Settings."""

    lease_seconds: float
    host_gap_seconds: float
    host_concurrency: int

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(settings.lease_seconds, settings.host_gap_seconds, settings.host_concurrency)


@dataclass(frozen=True, slots=True)
class Postponed:
    """The best job must wait for its host; another claim may find others."""


def claim(
    tx: Connection,
    queue: Queue,
    kinds: Collection[JobKind],
    *,
    now: datetime,
    rules: Claiming,
    busy: Collection[UUID] | None = None,
) -> ClaimedJob | Postponed | None:
    """Claim the most urgent job that is due; with `busy`, the first that a user outside of it waits for."""
    trust_indexes(tx)
    if busy is None:
        job = lease_best(tx, queue, kinds, now=now, lease_seconds=rules.lease_seconds)
    else:
        job = lease_newcomer(tx, queue, kinds, now=now, lease_seconds=rules.lease_seconds, busy=busy)
    if job is None or job.host is None:
        return job
    wait_until = take_turn(tx, job.host, now=now, rules=rules)
    if wait_until is not None:
        postpone(tx, job, job.host, wait_until)
        return Postponed()
    next_turn = now + timedelta(seconds=rules.host_gap_seconds)
    host_queues.promote(tx, job.kind, job.host, now=now, not_before=next_turn)
    return job


def trust_indexes(tx: Connection) -> None:
    """Make PostgreSQL use indexes: by its old statistics of a queue it would read 100,000 rows to find one."""
    if tx.dialect.name == "postgresql":
        tx.execute(text(INDEXES_ONLY))


def lease_best(
    tx: Connection, queue: Queue, kinds: Collection[JobKind], *, now: datetime, lease_seconds: float
) -> ClaimedJob | None:
    due = {"of_queue": queue, "kinds": list(kinds), **moments(now, lease_seconds)}
    return lease_found(tx, FIND_BEST, due, now=now, lease_seconds=lease_seconds)


def lease_newcomer(
    tx: Connection,
    queue: Queue,
    kinds: Collection[JobKind],
    *,
    now: datetime,
    lease_seconds: float,
    busy: Collection[UUID],
) -> ClaimedJob | None:
    found = find_newcomer(tx, queue, kinds, now=now, lease_seconds=lease_seconds, busy=busy)
    if found is None:
        return None
    this = {"job_id": found, **moments(now, lease_seconds)}
    return lease_found(tx, FIND_FREE, this, now=now, lease_seconds=lease_seconds)


def find_newcomer(
    tx: Connection,
    queue: Queue,
    kinds: Collection[JobKind],
    *,
    now: datetime,
    lease_seconds: float,
    busy: Collection[UUID],
) -> UUID | None:
    """Find the first due job that a user waits for who is not in `busy`."""
    due = {"of_queue": queue, "kinds": list(kinds), **moments(now, lease_seconds)}
    for row in tx.execute(FIND_NEWCOMERS, due):
        if row.actor_user_id is not None and row.actor_user_id not in busy:
            found: UUID = row.id
            return found
    return None


def count_due_by_kind(tx: Connection, queue: Queue, *, now: datetime, lease_seconds: float) -> Counter[JobKind]:
    """Count the kinds of the first DUE_COUNTED jobs that could be claimed now."""
    trust_indexes(tx)
    return Counter(tx.scalars(LIST_DUE_KINDS, {"of_queue": queue, **moments(now, lease_seconds)}))


def lease_found(
    tx: Connection, query: Executable, values: Mapping[str, object], *, now: datetime, lease_seconds: float
) -> ClaimedJob | None:
    """Lease the job that `query` finds by its id and lease token."""
    found = tx.execute(query, values).one_or_none()
    if found is None:
        return None
    lease = {"job_id": found.id, "until": now + timedelta(seconds=lease_seconds), "token": uuid4()}
    row = tx.execute(LEASE, lease).mappings().one()
    # Whoever ends an attempt gives the lease back; one that is still there was left by a worker that died.
    return claimed_job_from(row, is_previous_lost=found.lease_token is not None)


def claimed_job_from(row: RowMapping, *, is_previous_lost: bool) -> ClaimedJob:
    first_failure = AttemptRecord.from_json(row["first_failure"]) if row["first_failure"] else None
    typed = {"kind": JobKind(row["kind"]), "queue": Queue(row["queue"]), "first_failure": first_failure}
    return ClaimedJob(**{**row, **typed, "is_previous_lost": is_previous_lost})


def moments(now: datetime, lease_seconds: float) -> dict[str, datetime]:
    """Return the times by which a lease is judged."""
    return {"now": now, "beyond_reason": now + timedelta(seconds=lease_seconds * CLOCK_WENT_BACK)}


def is_free(now: datetime, lease_seconds: float) -> ColumnElement[bool]:
    return is_free_at(**moments(now, lease_seconds))


# --- jobs that nobody takes ---------------------------------------------------------------------------------------


def has_lease(tx: Connection, kind: JobKind, *, now: datetime, lease_seconds: float) -> bool:
    """Return whether some worker holds a job of this kind."""
    leased = and_(jobs.c.lease_until.is_not(None), ~is_free(now, lease_seconds))
    return tx.execute(select(jobs.c.id).where(jobs.c.kind == kind, leased).limit(1)).first() is not None


def list_waiting(tx: Connection, kind: JobKind, *, due_before: datetime, limit: int) -> list[UUID]:
    """List the subjects of jobs that were due then, the longest waiting first."""
    waiting = (jobs.c.kind == kind, jobs.c.run_at < due_before)
    query = select(jobs.c.subject_id).where(*waiting).order_by(jobs.c.run_at, jobs.c.id).limit(limit)
    return list(tx.execute(query).scalars())


def claim_waiting(
    tx: Connection, kind: JobKind, subject_id: UUID, *, due_before: datetime, now: datetime, lease_seconds: float
) -> ClaimedJob | None:
    """Claim a job that was due then, to end it without running it; its host's turn and queue do not matter."""
    this = (jobs.c.kind == kind, jobs.c.subject_id == subject_id)
    waiting = select(jobs.c.id, jobs.c.lease_token).where(
        *this, jobs.c.run_at < due_before, is_free(now, lease_seconds)
    )
    query = waiting.with_for_update(skip_locked=True)
    job = lease_found(tx, query, {}, now=now, lease_seconds=lease_seconds)
    if job is not None and job.host is not None:
        host_queues.promote(tx, job.kind, job.host, now=now, not_before=job.run_at)
    return job


# --- politeness --------------------------------------------------------------------------------------------------


def take_turn(tx: Connection, host: str, *, now: datetime, rules: Claiming) -> datetime | None:
    """Take the host's turn and return None; or return when to ask again."""
    if count_in_flight(tx, host, now=now, rules=rules) > rules.host_concurrency:
        return now + timedelta(seconds=FULL_HOST_SECONDS)
    gap = timedelta(seconds=rules.host_gap_seconds)
    next_at: datetime | None = tx.scalar(FIND_TURN, {"of_host": host})
    if next_at is not None and now < next_at <= now + gap * CLOCK_WENT_BACK:
        return next_at
    if not swap_turn(tx, host, now=now, gap=gap):
        return now + gap
    # Count again, now that this host's row is ours: a claim we had to wait for counts by now. On SQLite only one claims
    # at a time.
    if tx.dialect.name != "sqlite" and count_in_flight(tx, host, now=now, rules=rules) > rules.host_concurrency:
        return now + timedelta(seconds=FULL_HOST_SECONDS)
    return None


def count_in_flight(tx: Connection, host: str, *, now: datetime, rules: Claiming) -> int:
    found = tx.scalar(COUNT_IN_FLIGHT, {"of_host": host, **moments(now, rules.lease_seconds)})
    return int(found or 0)


def swap_turn(tx: Connection, host: str, *, now: datetime, gap: timedelta) -> bool:
    """Take the host's turn; return whether nobody else took it meanwhile."""
    values = {"of_host": host, "turn": now + gap, "now": now, "beyond_reason": now + gap * CLOCK_WENT_BACK}
    return tx.execute(SWAP_TURN[tx.dialect.name], values).first() is not None


def reserve_turn(tx: Connection, host: str, *, now: datetime, gap_seconds: float) -> datetime | None:
    """Return when a running job may fetch from the host once more; None means to ask again.

    The turn is taken ahead of its time, since a running job holds a lease meanwhile; but never so far ahead that a
    claim would take it for the work of a clock that went back.
    """
    gap = timedelta(seconds=gap_seconds)
    next_at: datetime | None = tx.scalar(FIND_TURN, {"of_host": host})
    is_ahead = next_at is not None and now < next_at <= now + gap * CLOCK_WENT_BACK
    turn = next_at if next_at is not None and is_ahead else now
    if turn > now + gap:
        return None
    unchanged = hosts.c.next_at == next_at
    statement = (
        upsert(tx, hosts)
        .values(name=host, next_at=turn + gap)
        .on_conflict_do_update(index_elements=["name"], set_={"next_at": turn + gap}, where=unchanged)
    )
    return turn if tx.execute(statement.returning(hosts.c.name)).first() is not None else None


def postpone(tx: Connection, job: ClaimedJob, host: str, until: datetime) -> None:
    """Give the job back without counting an attempt: behind the first of its host if there is one, else until then."""
    is_queued_behind = host_queues.has_first(tx, job.kind, host, not_after=until, besides=job.id)
    when = {"is_queued_behind": True} if is_queued_behind else {"run_at": until}
    tx.execute(update(jobs).where(*IS_HELD).values(attempt=job.attempt - 1, **when, **RELEASED), held(job))


# --- when to look again ------------------------------------------------------------------------------------------


def find_next_due(
    tx: Connection, queue: Queue, kinds: Collection[JobKind], *, now: datetime, lease_seconds: float
) -> datetime | None:
    """Return when there may be something to claim: when the earliest job is due, or a lease ends."""
    trust_indexes(tx)
    beyond_reason = moments(now, lease_seconds)["beyond_reason"]
    due_at = [find_earliest(tx, queue, kinds, priority) for priority in Priority]
    due_at += [
        now if row.lease_until > beyond_reason else row.lease_until
        for row in tx.execute(LIST_LEASES)
        if row.queue == queue and row.kind in kinds
    ]
    return min((moment for moment in due_at if moment is not None), default=None)


def find_earliest(tx: Connection, queue: Queue, kinds: Collection[JobKind], priority: Priority) -> datetime | None:
    """Find when the earliest job of one priority is due, so that the index for claims is used."""
    values = {"of_queue": queue, "of_priority": priority, "kinds": list(kinds)}
    run_at: datetime | None = tx.scalar(FIND_EARLIEST, values)
    return run_at


def bring_forward(tx: Connection, *, now: datetime) -> int:
    """Make jobs due now that are due later than anybody asks for: a clock that has gone back since queued them."""
    beyond_reason = now + timedelta(seconds=LONGEST_WAIT_SECONDS * CLOCK_WENT_BACK)
    done = tx.execute(update(jobs).where(jobs.c.run_at > beyond_reason).values(run_at=now))
    return done.rowcount


def forget_hosts(tx: Connection, *, before: datetime) -> None:
    """Delete the rows of hosts that nobody visited for long."""
    tx.execute(hosts.delete().where(hosts.c.next_at < before))
