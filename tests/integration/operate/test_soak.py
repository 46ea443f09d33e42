"""Ordinary use for a while: nothing fails, nothing grows, nothing is left over. `./bench soak` prints the table."""

import pytest

from support.chaos.fleet import Mode
from support.chaos.soak import SoakReport, soak

WHOLE_SECONDS = 600.0
SHORT_SECONDS = 8.0


def require_well(report: SoakReport) -> None:
    assert report.errors == []
    assert report.rested is not None
    most = max(sample.processes for sample in report.samples)
    assert report.rested.processes <= most


@pytest.mark.long
async def test_a_short_soak_of_the_embedded_default_leaves_no_error_and_no_work() -> None:
    """Too short to tell anything of memory."""
    require_well(await soak(Mode.SQLITE, SHORT_SECONDS))


@pytest.mark.long
@pytest.mark.parametrize("mode", [Mode.SQLITE, Mode.CELERY])
async def test_in_ten_minutes_nothing_fails_and_memory_stays_flat(mode: Mode) -> None:
    report = await soak(mode, WHOLE_SECONDS)
    require_well(report)
    assert report.growth <= 1.1
    size = len(report.samples) // 4
    second, last = report.samples[size : 2 * size], report.samples[3 * size :]
    assert max(s.descriptors for s in last) <= 1.1 * max(s.descriptors for s in second)
