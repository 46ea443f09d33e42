from datetime import timedelta

import pytest

from kept.domain.statistics import CardStory, Figure, SuccessTally

pytestmark = [
    pytest.mark.requirement("000", "SC-001 to SC-008 as live figures (`kept stats`)"),
    pytest.mark.requirement("differs", "000 SC-007: asynchronous jobs → visits by the browser"),
]

QUICK, SLOW = timedelta(seconds=1), timedelta(seconds=70)


def figures_of(*stories: CardStory) -> dict[str, Figure]:
    tally = SuccessTally()
    for story in stories:
        tally.add(story)
    return {figure.code: figure for figure in tally.figures()}


def story(
    *found: str, first_after: timedelta | None = QUICK, image_after: timedelta | None = None, refused: bool = False
) -> CardStory:
    return CardStory(refused, found, first_after, image_after)


def test_nothing_saved_is_nothing_measured() -> None:
    assert {(figure.share, figure.is_met) for figure in figures_of().values()} == {(None, None)}


def test_each_promise_counts_what_it_says() -> None:
    found = figures_of(
        story("title", "excerpt", "image", image_after=QUICK),
        story("title", "excerpt", image_after=QUICK),
        story("title", image_after=SLOW),
        story(),
        story("title", "excerpt", "image", first_after=SLOW, image_after=SLOW),
        story(refused=True),
    )
    shares = {code: figure.share for code, figure in found.items()}
    assert shares == {
        "SC-001": 2 / 5,
        "SC-002": 1 / 5,
        "SC-003": 4 / 5,
        "SC-004": 1 / 4,
        "SC-005": 1 / 6,
        "SC-007": 1 / 5,
        "SC-008": 3 / 5,
    }


def test_a_goal_is_met_or_missed() -> None:
    assert figures_of(story("title", "excerpt", "image"))["SC-001"].is_met is True
    assert figures_of(story())["SC-001"].is_met is False
