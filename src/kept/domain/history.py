"""What one viewer may read of a media's history. The history is the media's, and a media may be many people's.

Counts and durations are the page's. A time is told only where it cannot be the time at which somebody else saved the
page: not before the viewer's own libraries had it, and not for an attempt that another person's save may have caused.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.attempt import AttemptRecord
from kept.domain.item import Card
from kept.domain.lifecycle import RETRYABLE, Lifecycle, Transition
from kept.domain.media import Media
from kept.ids import time_of_id

A_MOMENT: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the history, as a viewer may see it."""

    sort_key: int
    lifecycle: Lifecycle
    from_state: str | None
    to_state: str
    at: datetime | None
    next_retry_at: datetime | None
    record: AttemptRecord
    is_handed_over: bool = False
    """Whether the page was handed over to the browser."""

    @property
    def details(self) -> dict[str, object]:
        """The details that the API returns."""
        return self.record.to_json()


def may_tell_time(at: datetime, known_since: datetime | None) -> bool:
    """Return whether a time may be told: before the viewer's libraries got the page it may be another's save."""
    return known_since is not None and at >= known_since


def tell_kept_at(media: Media, known_since: datetime | None) -> datetime | None:
    """Return when this copy was made; None where that would tell when somebody else saved it."""
    made_at = media.fetched_at or media.processing_completed_at
    return made_at if made_at is not None and may_tell_time(made_at, known_since) else None


def known_since(created_at: datetime, item_id: UUID) -> datetime:
    """Return since when a library knows an item's page: by the time in its id, if its date came from a file."""
    made_at = time_of_id(item_id)
    return made_at if made_at - created_at > A_MOMENT else created_at


def tell_enriched_at(card: Card) -> datetime | None:
    """Return when the card was filled; None where that would tell when somebody else saved it."""
    at, item = card.media.enriched_at, card.item
    return at if at is not None and may_tell_time(at, known_since(item.created_at, item.id)) else None


def tell_history(
    lines: Iterable[Transition], *, viewer_id: UUID, known_since: datetime | None, is_shared: bool
) -> list[Line]:
    """Return the history for one viewer. `is_shared`: a library that the viewer is no member of holds the media."""
    told = []
    is_own_run = True
    for line in lines:
        if begins_again(line):
            is_own_run = not is_shared or line.record.asked_by == viewer_id
        told.append(tell(line, has_time=is_own_run and may_tell_time(line.created_at, known_since)))
    return told


def begins_again(line: Transition) -> bool:
    """Return whether a line begins a new run of attempts, which a person asked for or another save caused."""
    return line.lifecycle is Lifecycle.PROCESSING and line.from_state in RETRYABLE


def tell(line: Transition, *, has_time: bool) -> Line:
    return Line(
        line.sort_key,
        line.lifecycle,
        line.from_state,
        line.to_state,
        line.created_at if has_time else None,
        line.record.next_retry_at if has_time else None,
        # who asked, what it was handed to and when it is tried again are not told
        replace(line.record, next_retry_at=None, handed_to=None, asked_by=None),
        is_handed_over=line.record.handed_to is not None,
    )
