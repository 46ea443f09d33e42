"""The simulated queue keeps the real one's rules, and its figures can be had again."""

import itertools
from collections import defaultdict
from typing import Any

import pytest

from kept.config import Settings
from kept.domain import job
from kept.storage.queue import claiming
from support.fixtures.tools import load_tool

simulation = load_tool("simulate_queue")
# A few hosts and a burst of imports: every rule has something to do.
CROWDED = {"hosts": 20, "import_rows": 400, "minutes": 10.0, "workers": 1, "browsers": 1}


@pytest.fixture(scope="module")
def crowded() -> Any:
    return simulation.simulate(simulation.scaled(10, **CROWDED), keep_visits=True)


def test_its_rules_are_those_of_the_settings() -> None:
    settings = Settings()
    assert settings.host_gap_seconds == simulation.HOST_GAP_SECONDS
    assert settings.host_concurrency == simulation.HOST_CONCURRENCY
    assert settings.ingest_concurrency == simulation.SLOTS_PER_WORKER
    assert claiming.FULL_HOST_SECONDS == simulation.FULL_HOST_SECONDS
    assert {one.name: int(one) for one in job.Priority} == {one.name: int(one) for one in simulation.Priority}
    assert settings.limits.fetch_connect_seconds == simulation.Load().hang_seconds


def test_every_job_that_arrived_is_done_or_waits_or_runs(crowded: Any) -> None:
    assert crowded.done.total() > 1000
    assert crowded.waiting > 0
    assert crowded.arrived.total() == crowded.done.total() + crowded.waiting + crowded.running


def test_a_queue_with_little_to_do_ends_empty() -> None:
    load = simulation.scaled(1, imports_a_second=0.0, saves_a_second=0.05, hang_share=0.0, minutes=30.0)
    outcome = simulation.simulate(load)
    assert outcome.arrived.total() > 50
    assert outcome.waiting == 0


def test_a_person_waits_less_than_an_import(crowded: Any) -> None:
    people, imports = (
        crowded.waits[simulation.Kind.INGEST, priority]
        for priority in (simulation.Priority.PERSON, simulation.Priority.IMPORT)
    )
    assert len(people) > 100
    assert simulation.quantile(people, 0.95) < simulation.quantile(imports, 0.5)


def test_a_person_is_served_before_an_import_that_came_first() -> None:
    queue = simulation.Queue()
    brought = simulation.Job(simulation.Kind.INGEST, simulation.Priority.IMPORT, 7, 0.0, 0.0)
    saved = simulation.Job(simulation.Kind.INGEST, simulation.Priority.PERSON, 7, 1.0, 1.0)
    queue.add(brought)
    queue.add(saved)
    assert [queue.take_due(2.0), queue.take_due(2.0), queue.take_due(2.0)] == [saved, brought, None]


def test_no_host_is_visited_within_the_gap_or_by_more_than_may(crowded: Any) -> None:
    visits = defaultdict(list)
    for start, end, host in crowded.visits:
        visits[host].append((start, end))
    assert max(map(len, visits.values())) > 50
    for times in visits.values():
        times.sort()
        starts = [start for start, _ in times]
        assert all(later - earlier >= 1.0 - 1e-9 for earlier, later in itertools.pairwise(starts))
        for start in starts:
            assert sum(begun <= start < end for begun, end in times) <= simulation.HOST_CONCURRENCY


def test_hosts_that_hang_hold_two_jobs_and_no_more() -> None:
    load = simulation.scaled(1, hosts=1, import_rows=50, saves_a_second=0.0, hang_share=1.0, minutes=5.0)
    outcome = simulation.simulate(load, keep_visits=True)
    most = max(sum(begun <= start < end for begun, end, _ in outcome.visits) for start, _, _ in outcome.visits)
    assert most == simulation.HOST_CONCURRENCY


def test_a_seed_gives_the_same_figures_and_another_gives_others() -> None:
    again, other = (simulation.simulate(simulation.scaled(10, **CROWDED, seed=seed)) for seed in (1, 2))
    first = simulation.simulate(simulation.scaled(10, **CROWDED, seed=1))
    assert simulation.report(first) == simulation.report(again)
    assert simulation.report(first) != simulation.report(other)


def test_more_workers_do_more() -> None:
    done = [simulation.simulate(simulation.scaled(10, minutes=10.0, workers=count)).done.total() for count in (1, 4)]
    assert done[1] > 1.5 * done[0]
