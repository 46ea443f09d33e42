"""Fleets that the proofs of a file share: to start one takes longer than most of them."""

from collections.abc import AsyncIterator

import pytest

from support.chaos.fleet import Mode, Shape
from support.chaos.using import FleetInUse, use_fleet
from support.clock import Clock


@pytest.fixture(scope="module")
async def grown() -> AsyncIterator[FleetInUse]:
    """PostgreSQL, Redis and S3; two API processes, two Celery workers, one render worker."""
    shape = Shape(servers=2, workers=2, on_s3=True)
    told = {"KEPT_LOG_LEVEL": "info", "KEPT_STOP_NOTICE_SECONDS": "0.5"}
    async with use_fleet(Mode.CELERY, shape, **told) as fleet:
        yield fleet


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Clock:
    return Clock(tmp_path_factory.mktemp("clock") / "shift")


@pytest.fixture(scope="module")
async def embedded(clock: Clock) -> AsyncIterator[FleetInUse]:
    """`kept serve` with what it brings along; its clock can be set."""
    async with use_fleet(Mode.SQLITE, Shape(workers=0), **clock.variables) as fleet:
        yield fleet
