"""Who may be told when: nobody learns from a shared page's history when somebody else saved it."""

from datetime import datetime
from uuid import UUID

import pytest

from kept.domain.attempt import AttemptRecord
from kept.domain.history import may_tell_time, tell_history, tell_kept_at
from kept.domain.lifecycle import Lifecycle, Transition
from support.builders.values import make_media, minutes

ANN, BEN, MEDIA = UUID(int=1), UUID(int=2), UUID(int=3)


def step(number: int, from_state: str | None, to_state: str, **facts: object) -> Transition:
    record = AttemptRecord(**facts)  # type: ignore[arg-type]
    return Transition(MEDIA, number, Lifecycle.PROCESSING, from_state, to_state, minutes(number), record)


HISTORY = [
    step(1, None, "pending"),
    step(2, "pending", "extracting", attempt=1),
    step(3, "extracting", "failed", code="E_FETCH_FAILED", attempt=1),
    step(4, "failed", "extracting", asked_by=ANN),
    step(5, "extracting", "ready_for_reading", via="http"),
]


def times(viewer: UUID, known_since: datetime | None, *, is_shared: bool) -> list[datetime | None]:
    lines = tell_history(HISTORY, viewer_id=viewer, known_since=known_since, is_shared=is_shared)
    return [line.at for line in lines]


@pytest.mark.parametrize(("known_since", "told"), [(None, False), (minutes(2), False), (minutes(1), True)])
def test_a_time_before_one_had_the_page_is_not_told(known_since: datetime | None, told: bool) -> None:
    assert may_tell_time(minutes(1), known_since) is told


def test_who_alone_holds_a_page_is_told_every_time() -> None:
    assert times(BEN, minutes(1), is_shared=False) == [minutes(number) for number in range(1, 6)]


def test_who_came_later_is_told_only_what_happened_since() -> None:
    assert times(ANN, minutes(4), is_shared=True) == [None, None, None, minutes(4), minutes(5)]


def test_a_retry_that_somebody_else_asked_for_has_no_time() -> None:
    assert times(BEN, minutes(1), is_shared=True) == [minutes(1), minutes(2), minutes(3), None, None]


def test_who_asked_and_when_it_is_tried_next_stay_with_us() -> None:
    line = tell_history(
        [step(1, "failed", "extracting", asked_by=ANN, handed_to="browser", next_retry_at=minutes(9))],
        viewer_id=BEN,
        known_since=minutes(5),
        is_shared=True,
    )[0]
    assert line.details == {}
    assert line.next_retry_at is None


def test_the_next_attempt_is_told_with_the_time_of_its_line() -> None:
    lines = [step(1, "extracting", "extracting", attempt=1, next_retry_at=minutes(9))]
    [told] = tell_history(lines, viewer_id=ANN, known_since=minutes(0), is_shared=False)
    assert told.next_retry_at == minutes(9)
    assert told.details == {"attempt": 1}


@pytest.mark.parametrize(
    ("fetched", "completed", "known_since", "told"),
    [
        (5, 6, 1, 5),
        (None, 6, 1, 6),
        (5, 6, 5.5, None),
        (None, None, 1, None),
        (5, 6, None, None),
    ],
)
def test_when_a_copy_was_made_is_told_to_who_had_the_page_then(
    fetched: float | None, completed: float | None, known_since: float | None, told: float | None
) -> None:
    def at(number: float | None) -> datetime | None:
        return None if number is None else minutes(number)

    media = make_media(fetched_at=at(fetched), processing_completed_at=at(completed))
    assert tell_kept_at(media, at(known_since)) == at(told)
