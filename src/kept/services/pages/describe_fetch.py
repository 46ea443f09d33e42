"""What a fetch says in the history: counts and times, never a URL."""

from kept.domain.attempt import AttemptRecord, Via
from kept.fetch.outcome import Fetched, FetchFailed


def describe_fetch(fetched: Fetched | FetchFailed, via: Via = Via.HTTP) -> AttemptRecord:
    match fetched:
        case Fetched():
            return AttemptRecord(
                via=via,
                http_status=fetched.status,
                redirects=fetched.redirects,
                fetch_ms=round(fetched.timings.total_ms),
            )
        case FetchFailed():
            return AttemptRecord(
                via=via,
                message=fetched.message,
                http_status=fetched.http_status,
                redirects=fetched.redirects,
                fetch_ms=round(fetched.total_ms),
            )
