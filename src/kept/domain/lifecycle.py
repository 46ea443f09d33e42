"""The two lifecycles of a media as data, and the one function that moves along them.

`processing` is the article's, `enrichment` the card's. Both share one history and one version, so that two writers
who read the same media cannot both move it: storage applies a move as compare-and-swap.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.domain.attempt import NOTHING_TO_TELL, AttemptRecord
from kept.domain.errors import Conflict


class Lifecycle(StrEnum):
    PROCESSING = "processing"
    ENRICHMENT = "enrichment"


class ProcessingStatus(StrEnum):
    PENDING = "pending"
    EXTRACTING = "extracting"
    READY_FOR_READING = "ready_for_reading"
    FAILED = "failed"
    BLOCKED = "blocked"
    INVALID_URL = "invalid_url"
    CARD_ONLY = "card_only"
    """The server saves cards only; the article is saved when somebody asks for it."""


class EnrichmentStatus(StrEnum):
    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


Status = ProcessingStatus | EnrichmentStatus

PROCESSING_TRANSITIONS: Final[Mapping[ProcessingStatus | None, frozenset[ProcessingStatus]]] = {
    None: frozenset({ProcessingStatus.PENDING, ProcessingStatus.INVALID_URL, ProcessingStatus.READY_FOR_READING}),
    ProcessingStatus.PENDING: frozenset(
        {
            ProcessingStatus.EXTRACTING,
            ProcessingStatus.BLOCKED,
            ProcessingStatus.INVALID_URL,
            ProcessingStatus.FAILED,
            ProcessingStatus.CARD_ONLY,
        }
    ),
    # to itself: an automatic retry
    ProcessingStatus.EXTRACTING: frozenset(
        {
            ProcessingStatus.EXTRACTING,
            ProcessingStatus.READY_FOR_READING,
            ProcessingStatus.FAILED,
            ProcessingStatus.BLOCKED,
        }
    ),
    # by a person's wish only
    ProcessingStatus.FAILED: frozenset({ProcessingStatus.EXTRACTING}),
    ProcessingStatus.BLOCKED: frozenset({ProcessingStatus.EXTRACTING}),
    ProcessingStatus.CARD_ONLY: frozenset({ProcessingStatus.EXTRACTING}),
    ProcessingStatus.READY_FOR_READING: frozenset(),
    ProcessingStatus.INVALID_URL: frozenset(),
}

# A card may always be filled again on purpose; a fill that changes nothing is still told in the history.
ENRICHMENT_TRANSITIONS: Final[Mapping[EnrichmentStatus, frozenset[EnrichmentStatus]]] = {
    EnrichmentStatus.PENDING: frozenset(EnrichmentStatus),
    EnrichmentStatus.SUCCEEDED: frozenset({EnrichmentStatus.PENDING, EnrichmentStatus.SUCCEEDED}),
    EnrichmentStatus.FAILED: frozenset(EnrichmentStatus),
}

FINAL: Final = frozenset(
    {
        ProcessingStatus.READY_FOR_READING,
        ProcessingStatus.FAILED,
        ProcessingStatus.BLOCKED,
        ProcessingStatus.INVALID_URL,
        ProcessingStatus.CARD_ONLY,
    }
)
GIVEN_UP: Final = (ProcessingStatus.FAILED, ProcessingStatus.BLOCKED, ProcessingStatus.INVALID_URL)
FAILED: Final = frozenset({ProcessingStatus.FAILED, ProcessingStatus.BLOCKED})
RETRYABLE: Final = FAILED | {ProcessingStatus.CARD_ONLY}
"""The states in which a person may ask for a retry: failed pages, and pages of which only the card was saved."""


def deserves_fresh_attempt(status: ProcessingStatus) -> bool:
    """Return whether a new item gives the page one more attempt: it failed, or only its card was saved."""
    return status in {ProcessingStatus.FAILED, ProcessingStatus.CARD_ONLY}


def wants_article(status: ProcessingStatus, *, archives_saves: bool, is_copy: bool) -> bool:
    """Return whether an ingestion makes an article. `archives_saves` is the server's setting for saves, and `is_copy` a
    new copy or one from a file; what somebody asked for is extracting already."""
    return archives_saves or is_copy or status is ProcessingStatus.EXTRACTING


@dataclass(frozen=True, slots=True)
class LifecycleState:
    """A media's state on both lifecycles, which is all that a move depends on."""

    media_id: UUID
    processing: ProcessingStatus
    enrichment: EnrichmentStatus
    version: int


@dataclass(frozen=True, slots=True)
class Transition:
    """One line of a media's history."""

    media_id: UUID
    sort_key: int
    lifecycle: Lifecycle
    from_state: str | None
    to_state: str
    created_at: datetime
    record: AttemptRecord = NOTHING_TO_TELL


class WrongTransition(Conflict):
    """This step is not open from here."""


def begin(
    media_id: UUID, status: ProcessingStatus, *, at: datetime, record: AttemptRecord = NOTHING_TO_TELL
) -> Transition:
    """Return the first line of a media's history."""
    if status not in PROCESSING_TRANSITIONS[None]:
        raise WrongTransition(f"A media cannot begin as {status}.")
    return Transition(media_id, 1, Lifecycle.PROCESSING, None, status, at, record)


def move(
    state: LifecycleState, to: Status, *, at: datetime, record: AttemptRecord = NOTHING_TO_TELL
) -> tuple[LifecycleState, Transition]:
    """Change a media's state; there is no other way. Storage applies the result as compare-and-swap."""
    current: Status
    match to:
        case ProcessingStatus():
            lifecycle, current = Lifecycle.PROCESSING, state.processing
            allowed = to in PROCESSING_TRANSITIONS[state.processing]
            moved = LifecycleState(state.media_id, to, state.enrichment, state.version + 1)
        case EnrichmentStatus():
            lifecycle, current = Lifecycle.ENRICHMENT, state.enrichment
            allowed = to in ENRICHMENT_TRANSITIONS[state.enrichment]
            moved = LifecycleState(state.media_id, state.processing, to, state.version + 1)
    if not allowed:
        raise WrongTransition(f"A media that is {current} cannot become {to}.")
    return moved, Transition(state.media_id, moved.version, lifecycle, current, to, at, record)
