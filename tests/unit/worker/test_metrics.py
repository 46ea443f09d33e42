"""Values of several processes, added up as one exposition."""

import asyncio
import socket
import threading

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from kept.observability import INGESTS
from kept.worker.metrics import WorkerMetrics, add_up, answer


def registry_with(outcome: str, seconds: float) -> CollectorRegistry:
    registry = CollectorRegistry()
    Counter("kept_tries", "Tries.", ["outcome"], registry=registry).labels(outcome).inc(2)
    Histogram("kept_seconds", "Time.", buckets=(1, 5), registry=registry).observe(seconds)
    Gauge("kept_depth", "Depth.", registry=registry).set(3)
    return registry


def test_values_with_the_same_labels_are_added_and_others_stand_beside_them() -> None:
    first, second, third = registry_with("failed", 0.5), registry_with("failed", 3), registry_with("ready", 9)
    found = {metric.name: metric for metric in add_up(*(each.collect() for each in (first, second, third)))}
    tries = {sample.labels["outcome"]: sample.value for sample in found["kept_tries"].samples if "total" in sample.name}
    buckets = [sample.value for sample in found["kept_seconds"].samples if sample.name == "kept_seconds_bucket"]
    assert tries == {"failed": 4, "ready": 2}
    assert buckets == [1, 2, 3]


async def test_what_a_worker_counted_is_told_while_it_lives_and_after() -> None:
    metrics = WorkerMetrics()
    alone = read(await metrics.read())
    ours, theirs = socket.socketpair()
    worker = threading.Thread(target=answer, args=(theirs,))
    worker.start()
    following = asyncio.create_task(metrics.follow(ours))
    await asyncio.sleep(0)
    INGESTS.labels("failed").inc()
    while read(await metrics.read()) != 2 * (alone + 1):  # this process counts as server and as worker
        await asyncio.sleep(0)
    together = [read(told) for told in await asyncio.gather(*(metrics.read() for _ in range(20)))]
    assert set(together) == {2 * (alone + 1)}
    theirs.shutdown(socket.SHUT_RDWR)
    await following
    worker.join()
    assert read(await metrics.read()) == 2 * (alone + 1)


def read(told: bytes) -> float:
    """Of this line alone: a process that has run thousands of tests has tens of thousands."""
    name = b'kept_ingests_total{outcome="failed"} '
    return sum(float(line.removeprefix(name)) for line in told.splitlines() if line.startswith(name))
