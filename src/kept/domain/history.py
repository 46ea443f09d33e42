"""What one viewer may read of a media's history. The history is the media's, and a media may be many people's.

Counts and durations are the page's. A time is told only where it cannot be the time at which somebody else saved the
page: not before the viewer's own libraries had it, and not for an attempt that another person's save may have caused.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from kept.domain.lifecycle import RETRYABLE, Lifecycle, Transition

# Of what a line says; anything else (who asked, and whatever is added one day) stays with us.
TOLD: Final = (
    "code",
    "message",
    "attempt",
    "http_status",
    "redirects",
    "fetch_ms",
    "extract_ms",
    "render_ms",
    "validation_reason",
    "via",
    "found",
    "page",
)
ASKED_BY: Final = "asked_by"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the history, as told."""

    sort_key: int
    lifecycle: Lifecycle
    from_state: str | None
    to_state: str
    at: datetime | None
    next_retry_at: datetime | None
    details: Mapping[str, Any]


def tell_history(
    lines: Iterable[Transition], *, viewer_id: UUID, known_since: datetime | None, is_shared: bool
) -> list[Line]:
    """`is_shared`: a library holds the media that the viewer is no member of."""
    told = []
    is_own_run = True
    for line in lines:
        if begins_again(line):
            is_own_run = not is_shared or line.metadata.get(ASKED_BY) == str(viewer_id)
        has_time = is_own_run and known_since is not None and line.created_at >= known_since
        told.append(tell(line, has_time=has_time))
    return told


def begins_again(line: Transition) -> bool:
    """Failed pages stay failed until a person asks, or another one saves the same page."""
    return line.lifecycle is Lifecycle.PROCESSING and line.from_state in RETRYABLE


def tell(line: Transition, *, has_time: bool) -> Line:
    next_retry_at = line.metadata.get("next_retry_at")
    return Line(
        line.sort_key,
        line.lifecycle,
        line.from_state,
        line.to_state,
        line.created_at if has_time else None,
        datetime.fromisoformat(next_retry_at) if has_time and next_retry_at else None,
        {name: line.metadata[name] for name in TOLD if name in line.metadata},
    )
