"""Liveness, readiness and metrics."""

import asyncio
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import Field
from sqlalchemy.exc import DBAPIError

from kept.api.access import KeptDep, Public
from kept.api.envelope import ApiModel, Data
from kept.bootstrap import Kept
from kept.jobs import report
from kept.jobs.job import Queue
from kept.observability import QUEUE_DEPTH, QUEUE_OLDEST_SECONDS
from kept.storage.database.engine import DatabaseReadOnly, DatabaseUnreachable
from kept.version import __version__

router = APIRouter(tags=["health"], dependencies=[Public])


class Health(ApiModel):
    status: str
    version: str


class Readiness(ApiModel):
    ready: bool
    problems: list[str]
    degraded: list[str] = Field(description="Faults that do not prevent saving or reading.")


@router.get("/healthz")
async def get_health() -> Data[Health]:
    """The process is alive."""
    return Data(data=Health(status="ok", version=__version__))


@router.get("/readyz", responses={503: {"model": Data[Readiness]}})
async def get_readiness(kept: KeptDep, request: Request, response: Response) -> Data[Readiness]:
    """The process can serve requests: its database and blob folder are writable, and it is not shutting down."""
    problems = [problem async for problem in find_problems(kept)]
    if request.app.state.is_stopping:
        problems.append("it is stopping")
    degraded = [fault async for fault in find_degradations(kept)]
    response.status_code = 503 if problems else 200
    return Data(data=Readiness(ready=not problems, problems=problems, degraded=degraded))


async def find_problems(kept: Kept) -> AsyncIterator[str]:
    try:
        async with asyncio.timeout(3):
            await kept.database.check()
    except DatabaseReadOnly:
        yield "the database cannot be written"
    except (DatabaseUnreachable, TimeoutError):
        yield "the database does not answer"
    if not kept.blobs.is_shared and not await can_keep_blobs(kept):
        yield "the blob store cannot be written"


async def find_degradations(kept: Kept) -> AsyncIterator[str]:
    """Faults of what all servers of an instance share; saving and reading work without it."""
    if not await kept.saver.announcer.is_heard():
        yield "the broker does not answer: work waits"
    if kept.blobs.is_shared and not await can_keep_blobs(kept):
        yield "the bucket cannot be used: images wait"


async def can_keep_blobs(kept: Kept) -> bool:
    try:
        async with asyncio.timeout(3):
            await kept.blobs.check()
    except OSError:  # a TimeoutError is one
        return False
    return True


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def get_metrics(kept: KeptDep) -> Response:
    """Prometheus metrics. Restrict access to it at the reverse proxy."""
    await measure_queue(kept)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


async def measure_queue(kept: Kept) -> None:
    """Counted at each scrape, so that no scrapes cost nothing. Without a database there are no figures."""
    QUEUE_DEPTH.clear()
    QUEUE_OLDEST_SECONDS.clear()
    now = kept.now()
    try:
        async with asyncio.timeout(3), kept.database.read() as tx:
            depths = await report.count_jobs(tx, now=now, lease_seconds=kept.settings.lease_seconds)
    except (DBAPIError, OSError, TimeoutError):
        return
    for depth in depths:
        QUEUE_DEPTH.labels(depth.queue, depth.kind, depth.state).set(depth.jobs)
    for queue in Queue:
        oldest = report.find_oldest_due(depths, queue)
        QUEUE_OLDEST_SECONDS.labels(queue).set((now - oldest).total_seconds() if oldest else 0)
