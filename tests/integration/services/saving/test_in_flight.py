"""A card that could not be filled leaves a line in the log, and a traceback only where the fault is ours."""

from uuid import uuid4

import pytest
import structlog
from structlog.testing import LogCapture

from kept.domain.errors import Unavailable
from kept.services.saving.cards import InFlight


async def crash(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    ("error", "event", "level"),
    [
        (Unavailable("the server closed the connection"), "met_outage", "warning"),
        (ZeroDivisionError(), "crashed", "error"),
    ],
)
async def test_an_outage_is_told_as_one(
    error: Exception, event: str, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    captured = LogCapture()
    logger = structlog.wrap_logger(None, processors=[captured], wrapper_class=structlog.BoundLogger)
    monkeypatch.setattr("kept.services.saving.cards.log", logger)
    in_flight, media_id = InFlight[None](), uuid4()
    in_flight.start(media_id, crash(error))
    await in_flight.wait(media_id, 10)
    lines = captured.entries
    assert [(line["event"], line["log_level"]) for line in lines] == [(f"enrichment.{event}", level)]
    assert ("exc_info" in lines[0]) == (level == "error")
