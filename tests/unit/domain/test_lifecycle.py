from datetime import UTC, datetime
from uuid import UUID

import pytest

from kept.domain.attempt import AttemptRecord
from kept.domain.lifecycle import (
    EnrichmentStatus as E,
)
from kept.domain.lifecycle import (
    Lifecycle,
    LifecycleState,
    WrongTransition,
    begin,
    deserves_fresh_attempt,
    move,
    wants_article,
)
from kept.domain.lifecycle import (
    ProcessingStatus as P,
)

pytestmark = pytest.mark.requirement("002", "§5 transitions")

AT = datetime(2026, 1, 1, tzinfo=UTC)
MEDIA = UUID(int=1)

ALLOWED = {
    (P.PENDING, P.EXTRACTING),
    (P.PENDING, P.BLOCKED),
    (P.PENDING, P.INVALID_URL),
    (P.PENDING, P.FAILED),
    (P.PENDING, P.CARD_ONLY),
    (P.EXTRACTING, P.EXTRACTING),
    (P.EXTRACTING, P.READY_FOR_READING),
    (P.EXTRACTING, P.FAILED),
    (P.EXTRACTING, P.BLOCKED),
    (P.FAILED, P.EXTRACTING),
    (P.BLOCKED, P.EXTRACTING),
    (P.CARD_ONLY, P.EXTRACTING),
}


@pytest.mark.requirement("003", "§3.2 states and transitions")
@pytest.mark.parametrize("start", list(P))
@pytest.mark.parametrize("to", list(P))
def test_a_media_moves_along_the_table_and_nowhere_else(start: P, to: P) -> None:
    state = LifecycleState(MEDIA, start, E.PENDING, 7)
    if (start, to) not in ALLOWED:
        with pytest.raises(WrongTransition, match=f"{start} cannot become {to}"):
            move(state, to, at=AT)
        return
    moved, transition = move(state, to, at=AT, record=AttemptRecord(attempt=2))
    assert moved == LifecycleState(MEDIA, to, E.PENDING, 8)
    assert (transition.sort_key, transition.from_state, transition.to_state) == (8, start, to)
    assert transition.record == AttemptRecord(attempt=2)


def test_a_card_and_an_article_share_one_history() -> None:
    first, _ = move(LifecycleState(MEDIA, P.PENDING, E.PENDING, 1), E.SUCCEEDED, at=AT)
    second, transition = move(first, P.EXTRACTING, at=AT)
    assert second == LifecycleState(MEDIA, P.EXTRACTING, E.SUCCEEDED, 3)
    assert transition.lifecycle is Lifecycle.PROCESSING


def test_a_card_that_was_filled_does_not_become_failed() -> None:
    with pytest.raises(WrongTransition):
        move(LifecycleState(MEDIA, P.PENDING, E.SUCCEEDED, 1), E.FAILED, at=AT)


def test_a_history_begins_once_and_only_where_a_media_may_begin() -> None:
    assert begin(MEDIA, P.PENDING, at=AT).from_state is None
    with pytest.raises(WrongTransition):
        begin(MEDIA, P.EXTRACTING, at=AT)


@pytest.mark.parametrize("status", list(P))
def test_only_a_page_that_failed_or_is_a_card_only_gets_a_fresh_attempt_from_a_new_item(status: P) -> None:
    assert deserves_fresh_attempt(status) is (status in {P.FAILED, P.CARD_ONLY})


@pytest.mark.parametrize("status", list(P))
def test_a_server_that_saves_cards_only_makes_the_articles_that_somebody_asked_for(status: P) -> None:
    assert wants_article(status, archives_saves=True, is_copy=False)
    assert wants_article(status, archives_saves=False, is_copy=True)
    assert wants_article(status, archives_saves=False, is_copy=False) is (status is P.EXTRACTING)
