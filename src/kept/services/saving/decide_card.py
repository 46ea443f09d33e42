"""What a fetch means for a card: decided from values alone, applied by `fill_card`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from kept.content.page.card import PageCard
from kept.content.page.metadata import PageMetadata
from kept.domain.lifecycle import EnrichmentStatus
from kept.fetch.outcome import FORBIDDEN, Fetched, FetchFailed
from kept.urls.identity import keeps_identity
from kept.urls.url import NormalisedUrl


class CardOutcome(StrEnum):
    """How a save's own enrichment ended; a log line and a metric each."""

    SUCCEEDED = "succeeded"
    PARTIAL = "partial"
    FAILED = "failed"
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True)
class CardDecision:
    outcome: CardOutcome
    status: EnrichmentStatus
    page: PageMetadata = field(default_factory=PageMetadata)
    canonical_url: NormalisedUrl | None = None
    """The address that names the page, where the fetch found it out."""
    is_blocked: bool = False
    error: str | None = None
    history: Mapping[str, Any] = field(default_factory=dict)


def decide_card(
    submitted: NormalisedUrl, fetched: Fetched | FetchFailed, card: PageCard | None, *, has_picture: bool
) -> CardDecision:
    """DESIGN §4's table. `has_picture`: the media had one before."""
    match fetched:
        case Fetched() if card is not None:
            return decide_from_page(submitted, fetched, card, has_picture=has_picture)
        case FetchFailed(reason=reason) if reason in FORBIDDEN:
            return CardDecision(
                CardOutcome.FAILED,
                EnrichmentStatus.FAILED,
                is_blocked=True,
                error=fetched.message,
                history=describe(fetched) | {"code": fetched.code, "validation_reason": reason},
            )
        case _:
            message = fetched.message if isinstance(fetched, FetchFailed) else None
            return CardDecision(
                failed_outcome(fetched), pending_or(has_picture), error=message, history=describe(fetched)
            )


def decide_from_page(submitted: NormalisedUrl, fetched: Fetched, card: PageCard, *, has_picture: bool) -> CardDecision:
    is_named = card.is_the_page and keeps_identity(submitted, fetched.final_url)
    found_picture = card.metadata.preview_image_url is not None
    return CardDecision(
        CardOutcome.SUCCEEDED if found_picture else CardOutcome.PARTIAL,
        pending_or(found_picture or has_picture),
        page=card.metadata,
        canonical_url=fetched.final_url if is_named else None,
        error=None if card.is_the_page else card.verdict.reason,
        history=describe(fetched) | {"found": found(card.metadata), "page": card.verdict.kind},
    )


def pending_or(succeeded: bool) -> EnrichmentStatus:
    """A card is finished when there is a picture to show; until then a browser may still make one."""
    return EnrichmentStatus.SUCCEEDED if succeeded else EnrichmentStatus.PENDING


def failed_outcome(fetched: Fetched | FetchFailed) -> CardOutcome:
    timed_out = isinstance(fetched, FetchFailed) and fetched.reason.endswith("timed_out")
    return CardOutcome.TIMED_OUT if timed_out else CardOutcome.FAILED


def describe(fetched: Fetched | FetchFailed) -> dict[str, Any]:
    """For the history: counts and times, never an address."""
    match fetched:
        case Fetched():
            return {
                "via": "http",
                "http_status": fetched.status,
                "redirects": fetched.redirects,
                "fetch_ms": round(fetched.timings.total_ms),
            }
        case FetchFailed():
            told = {
                "via": "http",
                "message": fetched.message,
                "http_status": fetched.http_status,
                "redirects": fetched.redirects,
                "fetch_ms": round(fetched.total_ms),
            }
            return {name: value for name, value in told.items() if value is not None}


def found(page: PageMetadata) -> list[str]:
    named = {"title": page.title, "excerpt": page.excerpt, "image": page.preview_image_url}
    return [name for name, value in named.items() if value is not None]
