from datetime import UTC, datetime
from typing import Any

import pytest

from kept.domain.attempt import AttemptRecord
from kept.domain.failures import FailureCode
from kept.domain.history import Line
from kept.domain.lifecycle import Lifecycle
from kept.web.history_text import ADVICE, REASONS, tell

AT = datetime(2026, 1, 1, tzinfo=UTC)


def line(lifecycle: Lifecycle, from_state: str | None, to_state: str, **details: Any) -> Line:
    return Line(1, lifecycle, from_state, to_state, AT, None, AttemptRecord(**details))


CARD, PAGE = Lifecycle.ENRICHMENT, Lifecycle.PROCESSING


@pytest.mark.parametrize(
    ("step", "said", "tone"),
    [
        (line(PAGE, None, "pending"), "Saved.", "plain"),
        (
            line(CARD, "pending", "pending", via="http", http_status=200, redirects=2, fetch_ms=310, found=("title",)),
            "Fetched via 2 redirects in 310 ms. Found a title. No picture found.",
            "plain",
        ),
        (
            line(
                CARD,
                "pending",
                "succeeded",
                via="http",
                http_status=200,
                redirects=0,
                fetch_ms=80,
                found=("title", "excerpt", "image"),
            ),
            "Fetched in 80 ms. Found a title, an excerpt and a picture.",
            "good",
        ),
        (
            line(CARD, "pending", "pending", via="http", fetch_ms=3000, message="The site did not answer in time."),
            "Asked the site for the page; that took 3.0 s. The site did not answer in time.",
            "plain",
        ),
        (
            line(CARD, "pending", "succeeded", via="browser", fetch_ms=2140, found=("screenshot",)),
            "Screenshot taken in 2.1 s.",
            "good",
        ),
        (line(PAGE, "pending", "extracting", attempt=1), "Began to read the page (attempt 1).", "plain"),
        (
            line(PAGE, "extracting", "extracting", attempt=2, message="The site refused the connection."),
            "The site refused the connection. Trying again (attempt 2).",
            "plain",
        ),
        (
            line(PAGE, "extracting", "ready_for_reading", via="snapshot", extract_ms=41),
            "The article is kept; taking it out of the page took 41 ms.",
            "good",
        ),
        (line(PAGE, "extracting", "failed", message="No article."), "Gave up. No article.", "bad"),
        (line(PAGE, "pending", "blocked", message="Not allowed."), "Not fetched. Not allowed.", "bad"),
        (line(PAGE, "failed", "extracting"), "Tried again, because somebody asked for it.", "plain"),
        (line(CARD, "pending", "failed"), "The card could not be filled.", "bad"),
    ],
)
def test_each_step_is_told_in_sentences(step: Line, said: str, tone: str) -> None:
    told = tell(step)
    assert (told.text, told.tone, told.at) == (said, tone, AT)


def test_every_failure_has_a_name_and_advice() -> None:
    assert ADVICE.keys() == REASONS.keys() == set(FailureCode)
