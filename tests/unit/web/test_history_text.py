from datetime import UTC, datetime
from typing import Any

import pytest

from kept.domain.attempt import AttemptRecord
from kept.domain.failures import FailureCode
from kept.domain.history import Line
from kept.domain.lifecycle import Lifecycle
from kept.web.history_text import describe_line
from kept.web.messages import ADVICE, REASONS

AT = datetime(2026, 1, 1, tzinfo=UTC)


def line(
    lifecycle: Lifecycle, from_state: str | None, to_state: str, *, is_handed_over: bool = False, **details: Any
) -> Line:
    return Line(1, lifecycle, from_state, to_state, AT, None, AttemptRecord.from_json(details), is_handed_over)


CARD, PAGE = Lifecycle.ENRICHMENT, Lifecycle.PROCESSING


@pytest.mark.parametrize(
    ("step", "text", "tone"),
    [
        (line(PAGE, None, "pending"), "Link saved.", "plain"),
        (
            line(CARD, "pending", "pending", via="http", http_status=200, redirects=2, fetch_ms=310, found=["title"]),
            "Fetched via 2 redirects in 310 ms. Found a title. No image found.",
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
                found=["title", "excerpt", "image"],
            ),
            "Fetched in 80 ms. Found a title, an excerpt and an image.",
            "good",
        ),
        (
            line(CARD, "pending", "pending", via="http", fetch_ms=3000, message="The site did not answer in time."),
            "Requested (took 3.0 s). The site did not answer in time.",
            "plain",
        ),
        (
            line(CARD, "pending", "succeeded", via="browser", fetch_ms=2140, found=["screenshot"]),
            "Screenshot taken in 2.1 s.",
            "good",
        ),
        (line(PAGE, "pending", "extracting", attempt=1), "Started saving the article (attempt 1).", "plain"),
        (
            line(PAGE, "extracting", "extracting", is_handed_over=True, message="No article was found on the page."),
            "No article was found on the page. Trying with a browser.",
            "plain",
        ),
        (
            line(PAGE, "extracting", "extracting", attempt=2, message="The site refused the connection."),
            "The site refused the connection. Retrying (attempt 2).",
            "plain",
        ),
        (
            line(PAGE, "extracting", "ready_for_reading", via="snapshot", extract_ms=41),
            "Article saved (extracted in 41 ms).",
            "good",
        ),
        (line(PAGE, "extracting", "failed", message="No article."), "Saving failed. No article.", "bad"),
        (line(PAGE, "pending", "blocked", message="Not allowed."), "Not fetched. Not allowed.", "bad"),
        (line(PAGE, "failed", "extracting"), "Retry requested.", "plain"),
        (line(CARD, "pending", "failed"), "The preview couldn't be created.", "bad"),
    ],
)
def test_each_step_has_a_text(step: Line, text: str, tone: str) -> None:
    entry = describe_line(step)
    assert (entry.text, entry.tone, entry.at) == (text, tone, AT)


def test_every_failure_has_a_name_and_advice() -> None:
    assert ADVICE.keys() == REASONS.keys() == set(FailureCode)
