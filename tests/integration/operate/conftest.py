"""Fleets that several proofs share: to start one takes longer than most of them."""

from collections.abc import AsyncIterator

import pytest

from support.chaos.fleet import Mode, Shape
from support.chaos.using import FleetInUse, use_fleet

# A process that is told to stop says so for this long before it does (see `roll.py`).
NOTICE_SECONDS = 0.5


@pytest.fixture(scope="session")
async def grown() -> AsyncIterator[FleetInUse]:
    """PostgreSQL, Redis and S3; two API processes, two Celery workers of two children, one render worker."""
    shape = Shape(servers=2, workers=2, on_s3=True)
    async with use_fleet(Mode.CELERY, shape, KEPT_LOG_LEVEL="info") as fleet:
        yield fleet
