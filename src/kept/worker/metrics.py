"""Metrics of the worker beside the server, added to the server's own: one scrape tells of both.

The two share a socket. The server sends a byte when somebody scrapes, and the worker answers with all its values. What
was last heard of a worker that died is kept, so that counters never go back.
"""

import asyncio
import json
import os
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Final

from prometheus_client import REGISTRY, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

from kept.subprocesses.frames import Frame, FrameError, encode_frame, receive_frame

ANSWER_SECONDS: Final = 1.0
# Values of several processes can be added up; gauges are the server's alone.
ADDED_UP: Final = frozenset({"counter", "histogram"})
PREFIX: Final = "kept_"
ASK: Final = b"?"


# --- in the worker ------------------------------------------------------------------------------------------------


def share_metrics(descriptor: int) -> None:
    """Answer the server on this inherited socket until it closes; in a thread, so that busy work is no hindrance."""
    os.set_inheritable(descriptor, False)
    connection = socket.socket(fileno=descriptor)
    threading.Thread(target=answer, args=(connection,), name="metrics", daemon=True).start()


def answer(connection: socket.socket) -> None:
    with connection, suppress(OSError):  # the server is gone, and we are about to be
        while connection.recv(1):
            connection.sendall(encode_frame(Frame({}, json.dumps(list_values()).encode())))


def list_values() -> list[object]:
    return [
        [metric.name, metric.documentation, metric.type, [[s.name, s.labels, s.value] for s in metric.samples]]
        for metric in REGISTRY.collect()
        if metric.name.startswith(PREFIX) and metric.type in ADDED_UP
    ]


# --- in the server ------------------------------------------------------------------------------------------------


class WorkerMetrics(Collector):
    """What is known of the workers so far, those that died included."""

    def __init__(self) -> None:
        self._past: list[Metric] = []
        self._latest: list[Metric] = []
        self._arrived = asyncio.Event()
        self._arrived.set()
        self._writer: asyncio.StreamWriter | None = None

    async def follow(self, connection: socket.socket) -> None:
        """Listen to a worker for as long as it lives."""
        reader, self._writer = await asyncio.open_unix_connection(sock=connection)
        try:
            while True:
                frame = await receive_frame(reader)
                self._latest = parse_values(frame.body)
                self._arrived.set()
        except (asyncio.IncompleteReadError, OSError, FrameError, ValueError):
            pass  # it ended, or no longer makes sense
        finally:
            self._past, self._latest = add_up(self._past, self._latest), []
            self._writer.close()
            self._writer = None
            self._arrived.set()

    async def read(self) -> bytes:
        """Everything as Prometheus reads it. A worker that does not answer soon is told of as it last was."""
        if self._writer is not None:
            if self._arrived.is_set():  # else somebody asked already: however many ask, the worker answers once
                self._arrived.clear()
                self._writer.write(ASK)
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_SECONDS):
                    await self._arrived.wait()
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        return iter(add_up(REGISTRY.collect(), self._past, self._latest))


def parse_values(body: bytes) -> list[Metric]:
    found = []
    for name, documentation, kind, samples in json.loads(body):
        metric = Metric(name, documentation, kind)
        metric.samples = [Sample(*sample) for sample in samples]
        found.append(metric)
    return found


def add_up(*groups: Iterable[Metric]) -> list[Metric]:
    """One family of each name; values with the same labels are added."""
    families: dict[str, Metric] = {}
    totals: dict[str, dict[tuple[str, frozenset[tuple[str, str]]], Sample]] = {}
    for metric in chain(*groups):
        families.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
        known = totals.setdefault(metric.name, {})
        for sample in metric.samples:
            key = sample.name, frozenset(sample.labels.items())
            before = known.get(key)
            known[key] = sample._replace(value=before.value + sample.value) if before else sample
    for name, family in families.items():
        family.samples = list(totals[name].values())
    return list(families.values())
