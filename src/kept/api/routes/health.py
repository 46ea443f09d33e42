"""Is it alive, is it ready, what does it measure."""

import asyncio

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from kept.api.access import KeptDep, Public
from kept.api.envelope import ApiModel, Data
from kept.storage.database import DatabaseUnreachable
from kept.version import __version__

router = APIRouter(tags=["health"], dependencies=[Public])


class Health(ApiModel):
    status: str
    version: str


class Readiness(ApiModel):
    ready: bool
    problems: list[str]


@router.get("/healthz")
async def get_health() -> Data[Health]:
    """The process answers."""
    return Data(data=Health(status="ok", version=__version__))


@router.get("/readyz", responses={503: {"model": Data[Readiness]}})
async def get_readiness(kept: KeptDep, response: Response) -> Data[Readiness]:
    """The process can serve: its database and its blob store answer."""
    problems = []
    try:
        async with asyncio.timeout(3):
            await kept.database.check()
    except (DatabaseUnreachable, TimeoutError):
        problems.append("the database does not answer")
    try:
        async with asyncio.timeout(3):
            await kept.blobs.check()
    except (OSError, TimeoutError):
        problems.append("the blob store cannot be written")
    response.status_code = 503 if problems else 200
    return Data(data=Readiness(ready=not problems, problems=problems))


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def get_metrics() -> Response:
    """Prometheus metrics. Keep it away from the public at the reverse proxy."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
