"""A card survives the pipe; what no child of ours would say does not."""

from datetime import UTC, datetime
from typing import Any

import pytest

from kept.content.page.description import PageCard, PageKind, PageMetadata, PageVerdict
from kept.subprocesses.cards import parse_answer
from kept.subprocesses.codec import as_json
from kept.subprocesses.frames import Frame, FrameError, encode_frame, parse_frame, parse_lengths

CARD = PageCard(
    PageMetadata("Über Brücken", published_at=datetime(2026, 1, 2, tzinfo=UTC), opengraph={"title": "Über Brücken"}),
    PageVerdict(PageKind.LOGIN_WALL, "The site asked to sign in."),
)


def test_a_card_survives_the_pipe() -> None:
    sent = encode_frame(Frame({"card": as_json(CARD)}))
    header_length, _ = parse_lengths(sent[:8])
    assert parse_answer(parse_frame(sent[8 : 8 + header_length], b"")) == CARD


def test_a_page_that_could_not_be_read_has_no_card() -> None:
    assert parse_answer(Frame({"card": None})) is None


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"card": {"verdict": {"kind": "content", "reason": "r"}}},
        {"card": {"verdict": {"kind": "no such kind", "reason": "r"}, "metadata": {}}},
        {"card": {"verdict": {"kind": "content", "reason": "r"}, "metadata": {"title": 5}}},
        {"card": {"verdict": {"kind": "content", "reason": "r"}, "metadata": []}},
    ],
)
def test_an_answer_that_makes_no_sense_is_no_card(header: dict[str, Any]) -> None:
    with pytest.raises(FrameError):
        parse_answer(Frame(header))
