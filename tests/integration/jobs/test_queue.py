"""The queue's rules, on SQLite and PostgreSQL alike."""

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import uuid4

import pytest
from sqlalchemy import func, select, text, update

import support.builders.jobs
from kept.domain.job import ClaimedJob, JobKind, LeaseLost, NewJob, Priority, Queue, QueuedJob
from kept.storage.database.engine import Connection, Database
from kept.storage.queue import host_queues, queue
from kept.storage.queue.claiming import Claiming, Postponed, claim, find_next_due, forget_hosts
from kept.storage.tables import hosts, jobs
from support.builders.accounts import make_user
from support.fixtures.transactions import reading, writing

pytestmark = pytest.mark.requirement("Kept", "leases, fencing, priorities, politeness, the clock going back")

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
RULES = Claiming(lease_seconds=10, host_gap_seconds=1, host_concurrency=2)
KINDS = tuple(JobKind)


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


new_job = partial(support.builders.jobs.new_job, run_at=NOW)


async def put(database: Database, *wanted: NewJob, now: datetime = NOW) -> None:
    for job in wanted:
        await database.write(queue.enqueue, job, now=now)


async def try_claim(
    database: Database, *, now: datetime = NOW, rules: Claiming = RULES, kinds: tuple[JobKind, ...] = KINDS
) -> ClaimedJob | Postponed | None:
    return await database.write(claim, Queue.INGEST, kinds, now=now, rules=rules)


async def take(database: Database, *, now: datetime = NOW, rules: Claiming = RULES) -> ClaimedJob | None:
    """What a worker gets: postponed jobs are passed over."""
    while isinstance(got := await try_claim(database, now=now, rules=rules), Postponed):
        pass
    return got


async def get(database: Database, *, now: datetime = NOW, rules: Claiming = RULES) -> ClaimedJob:
    job = await take(database, now=now, rules=rules)
    assert job is not None
    return job


async def finish(database: Database, job: ClaimedJob) -> None:
    await database.write(queue.finish, job)


async def retry(database: Database, job: ClaimedJob, run_at: datetime, *, counts: bool = True) -> None:
    await database.write(queue.retry_later, job, run_at, counts=counts)


async def row(database: Database, job: NewJob | ClaimedJob) -> QueuedJob | None:
    return await database.read(queue.find_job, job.kind, job.subject_id)


def count(database: Database) -> int:
    with reading(database) as tx:
        return tx.execute(select(func.count()).select_from(jobs)).scalar_one()


# --- asking ------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("004", "§5 contents of a job, queues, wakeups")
async def test_a_job_is_claimed_as_it_was_asked_for(database: Database) -> None:
    actor = make_user(database, "ann")
    wanted = replace(new_job(host="example.org", priority=Priority.IMPORT), actor_user_id=actor.id)
    await put(database, wanted)
    job = await get(database)
    assert (job.kind, job.subject_id, job.queue, job.host) == (
        wanted.kind,
        wanted.subject_id,
        Queue.INGEST,
        wanted.host,
    )
    assert (job.actor_user_id, job.request_id) == (actor.id, "request-1")
    assert (job.attempt, job.lease_until, job.priority) == (1, after(10), 10)


async def test_a_second_wish_for_the_same_work_brings_it_forward_and_never_back(database: Database) -> None:
    subject = uuid4()
    await put(database, new_job(subject, run_at=after(60), priority=Priority.IMPORT))
    await put(database, new_job(subject, run_at=after(5), priority=Priority.PERSON))
    await put(database, new_job(subject, run_at=after(90), priority=Priority.IMPORT))
    assert count(database) == 1
    found = await row(database, new_job(subject))
    assert found is not None
    assert (found.run_at, found.priority) == (after(5), Priority.PERSON)


@pytest.mark.parametrize("host", [None, "a.example"])
async def test_a_new_job_is_asked_for_once(database: Database, host: str | None) -> None:
    wanted = new_job(host=host)
    await put(database, wanted)
    found = await row(database, wanted)
    assert found is not None
    assert found.wanted == 1


async def test_jobs_of_two_kinds_for_one_subject_are_two_jobs(database: Database) -> None:
    subject = uuid4()
    await put(database, new_job(subject), new_job(subject, kind=JobKind.STORE_IMAGES))
    assert {(await get(database)).kind, (await get(database)).kind} == {JobKind.INGEST, JobKind.STORE_IMAGES}


async def test_work_asked_for_again_while_it_runs_keeps_its_lease_and_runs_again(database: Database) -> None:
    wanted = new_job()
    await put(database, wanted)
    job = await get(database)
    await put(database, wanted)
    found = await row(database, wanted)
    assert found is not None
    assert (found.lease_token, found.attempt) == (job.lease_token, 1)
    assert await take(database) is None
    await finish(database, job)
    again = await get(database)
    assert (again.subject_id, again.attempt) == (wanted.subject_id, 1)
    await finish(database, again)
    assert count(database) == 0


async def test_a_cancelled_job_is_gone_and_its_worker_cannot_finish_it(database: Database) -> None:
    wanted = new_job()
    await put(database, wanted)
    job = await get(database)
    with writing(database) as tx:
        queue.cancel(tx, wanted.kind, wanted.subject_id)
        queue.cancel(tx, wanted.kind, uuid4())
    with pytest.raises(LeaseLost):
        await finish(database, job)


async def test_what_a_rolled_back_transaction_asked_for_was_never_asked_for(database: Database) -> None:
    def ask_and_fail(tx: Connection) -> None:
        queue.enqueue(tx, new_job(), now=NOW)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await database.write(ask_and_fail)
    assert count(database) == 0


async def test_a_job_brought_forward_is_due_now_and_no_longer_minds_its_host(database: Database) -> None:
    wanted = new_job(host="a.example", run_at=after(4))
    await put(database, wanted)
    assert await take(database) is None
    with writing(database) as tx:
        assert queue.bring_forward(tx, wanted.kind, wanted.subject_id, now=NOW, host=None)
    job = await get(database)
    assert job.host is None
    with writing(database) as tx:
        assert not queue.bring_forward(tx, wanted.kind, wanted.subject_id, now=NOW, host="a.example")
        assert not queue.bring_forward(tx, wanted.kind, uuid4(), now=NOW, host="a.example")


# --- order -------------------------------------------------------------------------------------------------------


async def test_a_person_who_waits_goes_before_an_import_and_then_the_earlier_first(database: Database) -> None:
    imported = new_job(priority=Priority.IMPORT, run_at=after(-60))
    second, first = new_job(run_at=after(-1)), new_job(run_at=after(-2))
    await put(database, imported, second, first)
    got = [(await get(database)).subject_id for _ in range(3)]
    assert got == [first.subject_id, second.subject_id, imported.subject_id]


async def test_a_job_is_not_claimed_before_its_time(database: Database) -> None:
    await put(database, new_job(run_at=after(2)))
    assert await take(database, now=after(1.999)) is None
    assert await take(database, now=after(2)) is not None


async def test_a_kind_nobody_handles_stays_queued(database: Database) -> None:
    await put(database, new_job(kind=JobKind.STORE_IMAGES), new_job())
    job = await try_claim(database, kinds=(JobKind.INGEST,))
    assert isinstance(job, ClaimedJob)
    assert job.kind is JobKind.INGEST
    assert await try_claim(database, kinds=(JobKind.INGEST,)) is None
    assert count(database) == 2


@pytest.mark.requirement("004", "§5 contents of a job, queues, wakeups")
async def test_a_render_job_is_not_for_the_ingest_queue(database: Database) -> None:
    await put(database, new_job(kind=JobKind.RENDER))
    assert await take(database) is None
    assert isinstance(await database.write(claim, Queue.RENDER, KINDS, now=NOW, rules=RULES), ClaimedJob)


# --- leases ------------------------------------------------------------------------------------------------------


async def test_a_leased_job_is_nobody_elses_until_the_lease_ends(database: Database) -> None:
    await put(database, new_job())
    first = await get(database)
    assert await take(database, now=after(9.9)) is None
    second = await get(database, now=after(10))
    assert (second.id, second.attempt) == (first.id, 2)
    assert second.lease_token != first.lease_token


async def test_a_renewed_lease_holds_longer(database: Database) -> None:
    await put(database, new_job())
    job = await get(database)
    await database.write(queue.renew, job, now=after(8), lease_seconds=10)
    assert await take(database, now=after(17)) is None
    assert await take(database, now=after(18)) is not None


async def test_a_worker_that_lost_its_lease_changes_nothing(database: Database) -> None:
    """Fencing: neither the job nor anything written beside it in the same transaction."""
    await put(database, new_job())
    late = await get(database)
    winner = await get(database, now=after(11))
    acts: list[Callable[[Connection], None]] = [
        lambda tx: queue.finish(tx, late),
        lambda tx: queue.retry_later(tx, late, after(20)),
        lambda tx: queue.retry_later(tx, late, after(20), counts=False),
        lambda tx: queue.renew(tx, late, now=after(12), lease_seconds=10),
    ]
    for act in acts:
        with pytest.raises(LeaseLost):
            await database.write(write_beside, act)
    found = await row(database, winner)
    assert found is not None
    assert (found.lease_token, found.attempt, found.lease_until) == (winner.lease_token, 2, after(21))
    with reading(database) as tx:
        assert tx.execute(select(hosts)).all() == []
    await finish(database, winner)
    assert count(database) == 0


def write_beside(tx: Connection, act: Callable[[Connection], None]) -> None:
    tx.execute(hosts.insert().values(name="written-beside", next_at=NOW))
    act(tx)


async def test_a_lease_from_a_clock_that_was_ahead_counts_as_ended(database: Database) -> None:
    await put(database, new_job())
    held = await get(database)
    # the clock goes back an hour: the lease now ends in an hour and ten seconds
    back = after(-3600)
    with writing(database) as tx:
        tx.execute(update(jobs).values(run_at=back))
        assert find_next_due(tx, Queue.INGEST, KINDS, now=back, lease_seconds=10) == back
    assert (await get(database, now=back)).id == held.id


async def test_a_host_gap_from_a_clock_that_was_ahead_holds_nobody_up(database: Database) -> None:
    with writing(database) as tx:
        tx.execute(hosts.insert().values(name="a.example", next_at=after(3600)))
    await put(database, new_job(host="a.example"))
    assert await take(database) is not None


# --- attempts ----------------------------------------------------------------------------------------------------


async def test_attempts_count_claims(database: Database) -> None:
    await put(database, new_job())
    assert (await get(database)).attempt == 1
    second = await get(database, now=after(11))
    assert second.attempt == 2
    await retry(database, second, after(13))
    assert await take(database, now=after(12.9)) is None
    assert (await get(database, now=after(13))).attempt == 3


async def test_a_claim_that_was_no_attempt_is_not_counted(database: Database) -> None:
    """A drain, or a hand-over."""
    await put(database, new_job())
    await retry(database, await get(database), NOW, counts=False)
    assert (await get(database)).attempt == 1


# --- politeness --------------------------------------------------------------------------------------------------


async def test_two_jobs_of_one_host_keep_a_gap_and_other_hosts_do_not_wait(database: Database) -> None:
    first, second, other = new_job(host="a.example"), new_job(host="a.example"), new_job(host="b.example")
    await put(database, first, second, other)
    assert {(await get(database)).subject_id for _ in range(2)} == {first.subject_id, other.subject_id}
    assert await take(database, now=after(0.9)) is None
    later = await get(database, now=after(1))
    assert (later.subject_id, later.attempt) == (second.subject_id, 1)


async def test_no_more_jobs_of_a_host_are_in_flight_than_allowed(database: Database) -> None:
    await put(database, *[new_job(host="a.example") for _ in range(3)])
    first = await get(database, now=after(0))
    await get(database, now=after(2))
    for moment in (4, 5, 6):
        assert await take(database, now=after(moment)) is None
    await finish(database, first)
    third = await get(database, now=after(7))
    assert third.attempt == 1, "waiting for a host is no attempt"


async def test_the_lease_of_a_dead_worker_does_not_count_against_its_host(database: Database) -> None:
    await put(database, *[new_job(host="a.example") for _ in range(3)])
    await get(database, now=after(0))
    await get(database, now=after(2))
    assert (await get(database, now=after(12.5))).attempt == 2


async def test_a_job_that_fetches_nothing_does_not_wait_for_a_host(database: Database) -> None:
    await put(database, *[new_job(host=None) for _ in range(5)])
    assert len({(await get(database)).id for _ in range(5)}) == 5


async def test_without_a_gap_only_the_number_in_flight_counts(database: Database) -> None:
    rules = Claiming(lease_seconds=10, host_gap_seconds=0, host_concurrency=2)
    await put(database, *[new_job(host="a.example") for _ in range(4)])
    first = await get(database, rules=rules)
    await get(database, rules=rules)
    assert await take(database, rules=rules) is None
    await finish(database, first)
    assert await take(database, now=after(0.5), rules=rules) is not None


async def test_a_person_goes_before_an_import_of_the_same_host(database: Database) -> None:
    imported = [new_job(host="a.example", priority=Priority.IMPORT) for _ in range(5)]
    person = new_job(host="a.example")
    await put(database, *imported, person)
    assert (await get(database)).subject_id == person.subject_id


async def test_kinds_of_one_host_share_its_turns_but_not_a_line(database: Database) -> None:
    """A worker that handles one kind is not held up behind another kind of the same host."""
    await put(database, new_job(kind=JobKind.STORE_IMAGES, host="a.example"), new_job(host="a.example"))
    job = await try_claim(database, kinds=(JobKind.INGEST,))
    assert isinstance(job, ClaimedJob)
    assert isinstance(await try_claim(database), Postponed)


async def test_a_job_due_later_holds_up_no_earlier_one_of_its_host(database: Database) -> None:
    await put(database, new_job(host="a.example", run_at=after(600)))
    sooner = new_job(host="a.example")
    await put(database, sooner)
    assert (await get(database)).subject_id == sooner.subject_id


# --- lines -------------------------------------------------------------------------------------------------------


def heads(database: Database) -> int:
    with reading(database) as tx:
        query = select(func.count()).select_from(jobs).where(~jobs.c.is_queued_behind, jobs.c.lease_token.is_(None))
        return tx.execute(query).scalar_one()


async def drain(database: Database, *, start: float = 0) -> int:
    """Works everything off, a second at a time."""
    done, moment = 0, start
    while count(database) and moment < start + 100:
        while job := await take(database, now=after(moment)):
            await finish(database, job)
            done += 1
        moment += 1
    return done


async def test_of_many_jobs_of_one_host_one_can_be_claimed(database: Database) -> None:
    await put(database, *[new_job(host="a.example") for _ in range(20)])
    assert heads(database) == 1
    await finish(database, await get(database))
    assert heads(database) == 1
    assert await drain(database, start=1) == 19


async def test_when_the_head_of_a_line_is_cancelled_the_next_steps_forward(database: Database) -> None:
    wanted = [new_job(host="a.example") for _ in range(3)]
    await put(database, *wanted)
    await database.write(queue.cancel, JobKind.INGEST, wanted[0].subject_id)
    assert await drain(database) == 2


async def test_when_the_head_of_a_line_is_freed_of_its_host_the_next_steps_forward(database: Database) -> None:
    wanted = [new_job(host="a.example") for _ in range(3)]
    await put(database, *wanted)
    await database.write(queue.bring_forward, JobKind.INGEST, wanted[0].subject_id, now=NOW, host=None)
    assert heads(database) == 2
    await put(database, new_job(wanted[1].subject_id, host="b.example"))
    assert await drain(database) == 3


async def test_a_waiting_job_that_became_urgent_steps_forward(database: Database) -> None:
    wanted = [new_job(host="a.example", priority=Priority.IMPORT) for _ in range(3)]
    await put(database, *wanted)
    await put(database, new_job(wanted[2].subject_id, host="a.example", priority=Priority.PERSON))
    job = await get(database)
    assert job.subject_id == wanted[2].subject_id
    await finish(database, job)
    assert await drain(database, start=1) == 2


async def test_jobs_given_back_to_a_busy_host_stand_in_its_line_again(database: Database) -> None:
    """Many retries that come due at once do not make every claim step over them."""
    rules = Claiming(lease_seconds=10, host_gap_seconds=0, host_concurrency=50)
    await put(database, *[new_job(host="a.example") for _ in range(10)])
    for job in [await get(database, rules=rules) for _ in range(10)]:
        await retry(database, job, after(60))
    assert heads(database) == 10
    first = await get(database, now=after(60))
    assert first.attempt == 2
    await finish(database, first)
    assert await take(database, now=after(60.1)) is None
    assert heads(database) == 1
    assert await drain(database, start=62) == 9


async def test_a_line_whose_head_was_deleted_by_hand_is_repaired(database: Database) -> None:
    wanted = [new_job(host="a.example") for _ in range(3)]
    await put(database, *wanted)
    with writing(database) as tx:
        tx.execute(text("DELETE FROM jobs WHERE NOT is_queued_behind"))
        assert host_queues.repair_host_queues(tx, now=NOW) == 1
        assert host_queues.repair_host_queues(tx, now=NOW) == 0
    assert await drain(database) == 2


async def test_no_race_leaves_a_line_without_a_head(database: Database) -> None:
    """Asking, asking again, cancelling, freeing of the host, claiming, finishing, giving back: all at once."""
    rules = Claiming(lease_seconds=10, host_gap_seconds=0.01, host_concurrency=3)
    subjects = [uuid4() for _ in range(12)]

    async def act(dice: random.Random) -> None:
        moment = after(dice.random())
        subject, host = dice.choice(subjects), dice.choice(["a.example", "b.example"])
        match dice.randrange(6):
            case 0 | 1:
                await put(database, new_job(subject, host=host, priority=dice.choice(list(Priority)), run_at=moment))
            case 2:
                await database.write(queue.cancel, JobKind.INGEST, subject)
            case 3:
                freed = dice.choice([host, None])
                await database.write(queue.bring_forward, JobKind.INGEST, subject, now=moment, host=freed)
            case _:
                got = await try_claim(database, now=moment, rules=rules)
                if isinstance(got, ClaimedJob):
                    with suppress(LeaseLost):
                        await (finish(database, got) if dice.random() < 0.5 else retry(database, got, moment))

    async def act_often(seed: int) -> None:
        dice = random.Random(seed)
        for _ in range(60):
            await act(dice)

    await asyncio.gather(*(act_often(seed) for seed in range(8)))
    with writing(database) as tx:
        assert host_queues.repair_host_queues(tx, now=after(1)) == 0
    left = count(database)
    assert await drain(database, start=2) == left


async def test_hosts_not_visited_for_long_are_forgotten(database: Database) -> None:
    await put(database, new_job(host="a.example"))
    await get(database)
    with writing(database) as tx:
        forget_hosts(tx, before=after(-10))
        assert len(tx.execute(select(hosts)).all()) == 1
        forget_hosts(tx, before=after(10))
        assert tx.execute(select(hosts)).all() == []


# --- when to look again ------------------------------------------------------------------------------------------


async def test_the_next_moment_to_look_is_the_earliest_job_or_the_end_of_a_lease(database: Database) -> None:
    async def next_due() -> datetime | None:
        return await database.read(find_next_due, Queue.INGEST, KINDS, now=NOW, lease_seconds=10)

    assert await next_due() is None
    await put(database, new_job(run_at=after(30)), new_job(run_at=after(-5)))
    assert await next_due() == after(-5)
    job = await get(database)
    assert await next_due() == after(10)
    await finish(database, job)
    assert await next_due() == after(30)
