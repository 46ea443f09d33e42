"""What a fetch means for a card: decided from values alone, applied by `fill_card`."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from kept.content.page.card import PageCard
from kept.content.page.metadata import PageMetadata
from kept.domain.attempt import NOTHING_TO_TELL, AttemptRecord
from kept.domain.enrichment import decide_after_fetch
from kept.domain.lifecycle import EnrichmentStatus
from kept.fetch.outcome import FORBIDDEN, Fetched, FetchFailed
from kept.services.ingesting.describe_fetch import describe_fetch
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
    """The URL that names the page, where the fetch found it out."""
    is_blocked: bool = False
    error: str | None = None
    record: AttemptRecord = NOTHING_TO_TELL


def decide_card(
    submitted: NormalisedUrl, fetched: Fetched | FetchFailed, card: PageCard | None, *, has_image: bool
) -> CardDecision:
    """`has_image`: the media had one before."""
    record = describe_fetch(fetched)
    match fetched:
        case Fetched() if card is not None:
            return _decide_from_page(submitted, fetched, card, has_image=has_image)
        case FetchFailed(reason=reason, message=message) if reason in FORBIDDEN:
            blocked = replace(record, code=fetched.code, validation_reason=reason)
            return CardDecision(
                CardOutcome.FAILED, EnrichmentStatus.FAILED, is_blocked=True, error=message, record=blocked
            )
        case _:
            status = decide_after_fetch(has_image=has_image)
            return CardDecision(_name_failure(fetched), status, error=record.message, record=record)


def _decide_from_page(submitted: NormalisedUrl, fetched: Fetched, card: PageCard, *, has_image: bool) -> CardDecision:
    is_named = card.is_the_page and keeps_identity(submitted, fetched.final_url)
    page = card.metadata if fetched.final_url.route is None else _keep_site(card.metadata)
    found_image = page.preview_image_url is not None
    return CardDecision(
        CardOutcome.SUCCEEDED if found_image else CardOutcome.PARTIAL,
        decide_after_fetch(has_image=found_image or has_image),
        page=page,
        canonical_url=fetched.final_url if is_named else None,
        error=None if card.is_the_page else card.verdict.reason,
        record=replace(describe_fetch(fetched), found=_list_found(page), page=card.verdict.kind),
    )


def _keep_site(page: PageMetadata) -> PageMetadata:
    """Of a page that a script draws, a fetch brings the frame that all pages of the site share."""
    return PageMetadata(site_name=page.site_name or page.title, lang=page.lang, favicon_url=page.favicon_url)


def _name_failure(fetched: Fetched | FetchFailed) -> CardOutcome:
    timed_out = isinstance(fetched, FetchFailed) and fetched.reason.endswith("timed_out")
    return CardOutcome.TIMED_OUT if timed_out else CardOutcome.FAILED


def _list_found(page: PageMetadata) -> tuple[str, ...]:
    named = {"title": page.title, "excerpt": page.excerpt, "image": page.preview_image_url}
    return tuple(name for name, value in named.items() if value is not None)
