import base64
import hashlib

import pytest

from kept.domain.account import answers_challenge, parse_challenge, parse_state
from kept.domain.errors import InvalidRequest

VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


def test_a_challenge_is_answered_by_its_verifier_alone() -> None:
    assert answers_challenge(VERIFIER, CHALLENGE)
    assert not answers_challenge(VERIFIER[1:], CHALLENGE)
    assert not answers_challenge(CHALLENGE, CHALLENGE)
    assert not answers_challenge("\u6f22" * 50, CHALLENGE)


@pytest.mark.parametrize("text", ["", CHALLENGE + "=", CHALLENGE[1:], "/" * 43, "é" * 43, "\u0661" * 43, " " * 43])
def test_what_is_no_challenge_is_refused(text: str) -> None:
    assert parse_challenge(CHALLENGE) == CHALLENGE
    with pytest.raises(InvalidRequest):
        parse_challenge(text)


@pytest.mark.parametrize("text", ["", "a" * 129, "a&code=b", "a#b", "a b", "%61", "a\r\nLocation:"])
def test_a_state_cannot_bring_anything_else_into_the_url(text: str) -> None:
    assert parse_state("s-_9") == "s-_9"
    with pytest.raises(InvalidRequest):
        parse_state(text)
