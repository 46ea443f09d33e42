"""What saving promises, told from the histories of cards."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

IN_TIME: Final = timedelta(seconds=5)
SOON: Final = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class CardStory:
    """How one page got its card. `first_after` and `image_after` count from the save; None: not yet."""

    is_refused: bool
    found_at_once: Collection[str]
    first_after: timedelta | None
    image_after: timedelta | None


@dataclass(frozen=True, slots=True)
class Figure:
    """`count` of `whole`; `goal` is the least the share should be. None where nothing was there to measure."""

    code: str
    says: str
    share: float | None
    goal: float | None
    count: int
    whole: int

    @property
    def is_met(self) -> bool | None:
        return None if self.share is None or self.goal is None else self.share >= self.goal


class Tally:
    """Counts stories one by one, so that a hundred thousand need no memory."""

    def __init__(self) -> None:
        self.pages = self.refused = 0
        self.worded = self.with_image = self.in_time = self.not_blank = 0
        self.without_image = self.image_soon = 0

    def add(self, story: CardStory) -> None:
        if story.is_refused:
            self.refused += 1
            return
        found, first = story.found_at_once, story.first_after
        at_once = first is not None and first <= IN_TIME
        self.pages += 1
        self.in_time += at_once
        self.worded += at_once and {"title", "excerpt"} <= set(found)
        self.with_image += at_once and "image" in found
        self.not_blank += at_once and bool(found)
        if not (at_once and "image" in found):
            self.without_image += 1
            self.image_soon += story.image_after is not None and story.image_after <= SOON

    def figures(self) -> list[Figure]:
        pages = self.pages
        return [
            self._figure("SC-001", "saves that showed title and excerpt at once", self.worded, pages, 0.80),
            self._figure("SC-002", "saves that showed an image at once", self.with_image, pages, 0.60),
            self._figure("SC-003", "saves answered within 5 seconds", self.in_time, pages, 0.95),
            self._figure(
                "SC-004", "saves without an image that got one within a minute", self.image_soon, self.without_image
            ),
            self._figure(
                "SC-005", "saves of URLs that must not be fetched, and were not", self.refused, pages + self.refused
            ),
            self._figure("SC-007", "saves that left nothing of the card to a worker", self.with_image, pages, 0.50),
            self._figure("SC-008", "saves that showed something of the page", self.not_blank, pages, 0.50),
        ]

    def _figure(self, code: str, says: str, part: int, whole: int, goal: float | None = None) -> Figure:
        return Figure(code, says, part / whole if whole else None, goal, part, whole)
