"""Liveness, readiness and metrics."""

import asyncio

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import Field

from kept.api.access import KeptDep, Public
from kept.api.envelope import ApiModel, Data
from kept.domain.errors import Unavailable
from kept.domain.job import Queue, find_oldest_due
from kept.metrics import QUEUE_DEPTH, QUEUE_OLDEST_SECONDS
from kept.services.maintenance.figures import check_readiness, count_jobs
from kept.version import __version__
from kept.wiring.server import Kept

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
    """Check that the process is alive."""
    return Data(data=Health(status="ok", version=__version__))


@router.get("/readyz", responses={503: {"model": Data[Readiness]}})
async def get_readiness(kept: KeptDep, request: Request, response: Response) -> Data[Readiness]:
    """Check that the process can serve: its database and blob folder are writable, and it is not shutting down."""
    readiness = await check_readiness(kept.database, kept.blobs, kept.notifier)
    problems = [*readiness.problems, "it is stopping"] if request.app.state.is_stopping else readiness.problems
    response.status_code = 503 if problems else 200
    return Data(data=Readiness(ready=not problems, problems=problems, degraded=readiness.degraded))


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def get_metrics(kept: KeptDep) -> Response:
    """Get Prometheus metrics of the server. Restrict access to them at the reverse proxy."""
    await measure_queue(kept)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


async def measure_queue(kept: Kept) -> None:
    """Set the metrics of the queue. It is counted at each scrape only; without a database there are no figures."""
    QUEUE_DEPTH.clear()
    QUEUE_OLDEST_SECONDS.clear()
    now = kept.now()
    try:
        async with asyncio.timeout(3):
            depths = await kept.read(count_jobs, now=now, lease_seconds=kept.settings.lease_seconds)
    except (Unavailable, OSError):  # a TimeoutError is an OSError
        return
    for depth in depths:
        QUEUE_DEPTH.labels(depth.queue, depth.kind, depth.state).set(depth.jobs)
    for queue in Queue:
        oldest = find_oldest_due(depths, queue)
        QUEUE_OLDEST_SECONDS.labels(queue).set((now - oldest).total_seconds() if oldest else 0)
