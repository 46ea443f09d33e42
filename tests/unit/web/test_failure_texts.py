"""What people are told of a failure fits the failure, on every page and in the API."""

import re

import pytest

from kept.content.page import kinds
from kept.domain.failures import RETRY_CANNOT_HELP, FailureCode
from kept.fetch import outcome
from kept.fetch.outcome import FetchFailed, FetchReason
from kept.jobs import running
from kept.services.ingesting import attempts, failures, render
from kept.services.saving import cards, links
from kept.web.messages import ADVICE, REASONS

pytestmark = pytest.mark.requirement("Kept", "failures in words that fit; retries only where they help")

# Parts of Kept, which mean nothing to somebody whose page could not be saved.
INSIDES = re.compile(
    r"readability|sidecar|chromium|playwright|jsdom|\bnode\b|lxml|selectolax|celery|worker|\bDOM\b|sanitiz",
    re.IGNORECASE,
)
MESSAGES = [
    *ADVICE.values(),
    *REASONS.values(),
    *outcome.MESSAGES.values(),
    *kinds.MESSAGES.values(),
    *running.MESSAGES.values(),
    failures.LOST_ATTEMPT,
    attempts.BLOCKED_CARD,
    render.NO_SCREENSHOT,
    render.ERROR_PAGE,
    links.NOT_A_PAGE,
    cards.UNREAD,
]


@pytest.mark.parametrize("message", sorted(set(MESSAGES)))
def test_no_message_names_a_part_of_kept(message: str) -> None:
    assert not INSIDES.search(message)


@pytest.mark.parametrize("code", FailureCode)
def test_only_a_robot_check_speaks_of_humans_and_bots(code: FailureCode) -> None:
    speaks = re.search(r"human|robot|\bbot\b", f"{ADVICE[code]} {REASONS[code]}") is not None
    assert speaks == (code is FailureCode.EXTRACT_CHALLENGE)


@pytest.mark.parametrize("code", FailureCode)
def test_who_is_told_to_try_again_can_and_nobody_else_is(code: FailureCode) -> None:
    advises = "try again" in ADVICE[code].lower()
    assert advises == (code not in RETRY_CANNOT_HELP)


@pytest.mark.parametrize("status", [400, 403, 404, 410, 429, 500, 502, 503, 504])
def test_an_error_status_is_named_and_is_no_robot_check(status: int) -> None:
    failed = FetchFailed(FetchReason.HTTP_STATUS, http_status=status)
    assert failed.code is FailureCode.FETCH_FAILED
    assert str(status) in failed.message
