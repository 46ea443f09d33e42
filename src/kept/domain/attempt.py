"""The record of an attempt in the history, why it failed, and whether and when there is another one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from kept.domain.failures import FailureCode, FailureStage


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRecord:
    """The known facts of one attempt: counts and times, but never a URL, which may be a private link."""

    code: str | None = None
    message: str | None = None
    attempt: int | None = None
    http_status: int | None = None
    redirects: int | None = None
    fetch_ms: int | None = None
    extract_ms: int | None = None
    validation_reason: str | None = None
    reason: str | None = None
    """Why a fetch gave no page, in the gate's own terms."""
    via: str | None = None
    found: tuple[str, ...] | None = None
    """The parts of a card that the page had: title, excerpt, image, screenshot."""
    page: str | None = None
    """The kind of page: an article, or something in its way."""
    pages: int | None = None
    """The number of pages that the article was joined from."""
    missing_pages: tuple[int, ...] | None = None
    """The first and last page that are not part of the article."""
    site_rule: str | None = None
    """What a site rule did: `applied`, or `matched_nothing` and the article was found as on any page."""
    next_retry_at: datetime | None = None
    handed_to: str | None = None
    asked_by: UUID | None = None

    def to_json(self) -> dict[str, object]:
        named = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: _plain(value) for name, value in named if value is not None}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "AttemptRecord":
        """Make a record from JSON; names of an older or newer version are ignored."""
        known = {field.name: said[field.name] for field in fields(cls) if said.get(field.name) is not None}
        return cls(**{name: _PARSERS[name](value) if name in _PARSERS else value for name, value in known.items()})


NOTHING_TO_TELL: Final = AttemptRecord()
_PARSERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "found": tuple,
    "missing_pages": tuple,
    "next_retry_at": datetime.fromisoformat,
    "asked_by": UUID,
}
NO_FAILURE: Final[Mapping[str, None]] = dict.fromkeys(
    ("failure_code", "failure_message", "failure_stage", "failure_details", "failed_at")
)
"""The failure columns of a media that is being tried, or is ready."""

# Statuses that another attempt may change. For failures without an answer see `fetch.outcome.TRANSIENT`.
TRANSIENT_STATUSES: Final = frozenset({429, 503})
# The longest wait before an attempt, whatever a site asks for.
LONGEST_WAIT_SECONDS: Final = 600.0


class Via(StrEnum):
    """How a page was obtained."""

    HTTP = "http"
    BROWSER = "browser"
    SNAPSHOT = "snapshot"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt did not lead to an article, in the terms of the API."""

    code: FailureCode
    message: str
    stage: FailureStage
    is_transient: bool = False
    """Whether another attempt may go better."""
    retry_after_seconds: float | None = None
    facts: AttemptRecord = NOTHING_TO_TELL
    reason: str | None = None
    """The reason for the log, where it can be more exact than the message for people."""

    def as_log_fields(self) -> dict[str, str]:
        return {"code": self.code, "reason": self.reason or self.message}

    def as_record(self, attempt: int) -> AttemptRecord:
        return replace(self.facts, code=self.code, message=self.message, attempt=self.facts.attempt or attempt)


@dataclass(frozen=True, slots=True)
class RetryAt:
    """The time of the next attempt, as `decide_retry` decided."""

    at: datetime


@dataclass(frozen=True, slots=True)
class NoMoreAttempts:
    pass


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.isoformat()
        case UUID():
            return str(value)
        case tuple():
            return list(value)
        case StrEnum():
            return value.value
        case _:
            return value


def limit_wait(seconds: float) -> float:
    """Limit a wait that a site asks for, or that doubled too often."""
    return min(max(seconds, 0.0), LONGEST_WAIT_SECONDS)


def seconds_before(attempt: int, *, base_seconds: float) -> float:
    """Return the wait before an attempt, counted from 1: none, then the base, doubling from there."""
    return 0.0 if attempt <= 1 else limit_wait(base_seconds * 2.0 ** min(attempt - 2, 32))


def decide_retry(
    *,
    attempt: int,
    max_attempts: int,
    now: datetime,
    base_seconds: float,
    is_transient: bool = True,
    retry_after_seconds: float | None = None,
) -> RetryAt | NoMoreAttempts:
    """Decide whether and when to retry after attempt number `attempt` failed; only a transient failure is retried.

    A site's Retry-After counts up to ten minutes, and never shortens the wait.
    """
    if not is_transient or attempt >= max_attempts:
        return NoMoreAttempts()
    asked_seconds = limit_wait(retry_after_seconds or 0.0)
    wait_seconds = max(seconds_before(attempt + 1, base_seconds=base_seconds), asked_seconds)
    return RetryAt(now + timedelta(seconds=wait_seconds))
