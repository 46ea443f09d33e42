"""A card that could not be filled leaves a line in the log, and a traceback only where the fault is ours."""

from uuid import uuid4

import pytest
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from kept.services.saving.in_flight import Flights


async def crash(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    ("error", "event", "level"),
    [
        (OperationalError("SELECT 1", None, Exception("the server closed the connection")), "met_outage", "warning"),
        (ZeroDivisionError(), "crashed", "error"),
    ],
)
async def test_an_outage_is_told_as_one(error: Exception, event: str, level: str) -> None:
    flights, media_id = Flights(), uuid4()
    with capture_logs() as lines:
        flights.start(media_id, crash(error))
        await flights.wait(media_id, 10)
    assert [(line["event"], line["log_level"]) for line in lines] == [(f"enrichment.{event}", level)]
    assert ("exc_info" in lines[0]) == (level == "error")
