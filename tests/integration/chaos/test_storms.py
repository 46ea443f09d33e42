"""The whole of Kept in a storm: saves through the API while everything that can be killed is killed.

Nothing that was accepted is lost, nothing is done twice, nothing is left running. `./bench chaos` prints the table.
"""

import shutil

import pytest

from support.chaos.fleet import Mode
from support.chaos.storm import Plan, weather
from support.servers.local_servers import find_postgres_programs

pytestmark = [
    pytest.mark.requirement(
        "000",
        "US2 a readable page without a storable image gets a screenshot",
        "edge case: the API process dies during a save",
    ),
    pytest.mark.requirement(
        "002", "§12 exactly one fragment, whatever happens", "§12 no partial fragment of a failed ingestion"
    ),
    pytest.mark.requirement("Kept", "no page is lost and no process left when anything is killed"),
    pytest.mark.requirement("differs", "004 §12: raw HTML is not stored → it is for a day at most"),
]

SHORT = Plan(saves=24, seconds=5.0, kill_every_seconds=(0.2, 0.6))
WHOLE = Plan(saves=300, seconds=60.0, kill_every_seconds=(0.3, 1.5))


def require_servers(mode: Mode) -> None:
    if mode is not Mode.SQLITE and find_postgres_programs() is None:
        pytest.skip("PostgreSQL IS NOT INSTALLED: no storm on it")
    if mode is Mode.CELERY and shutil.which("redis-server") is None:
        pytest.skip("Redis IS NOT INSTALLED: no storm with it")


@pytest.mark.parametrize("plan", [SHORT, pytest.param(WHOLE, marks=pytest.mark.long)], ids=["short", "whole"])
@pytest.mark.parametrize(
    "mode", [Mode.SQLITE, *(pytest.param(mode, marks=pytest.mark.long) for mode in (Mode.POSTGRES, Mode.CELERY))]
)
async def test_in_a_storm_nothing_accepted_is_lost_and_nothing_is_left_running(mode: Mode, plan: Plan) -> None:
    require_servers(mode)
    report = await weather(mode, plan)
    assert report.broken == []
    assert report.saves == plan.saves
    assert report.kills.total() * 4 >= plan.seconds, "it hardly blew"
