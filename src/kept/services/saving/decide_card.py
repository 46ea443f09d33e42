"""What a fetch means for a card: decided from values alone, applied by `fill_card`."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from kept.content.documents.file_name import find_file_name, make_title
from kept.content.documents.recognise import HEAD_BYTES, recognise, recognise_type
from kept.content.page.description import FRONT_PAGE, PageCard, PageMetadata
from kept.domain.attempt import NOTHING_TO_TELL, AttemptRecord
from kept.domain.document import DocumentType
from kept.domain.enrichment import decide_after_fetch
from kept.domain.lifecycle import EnrichmentStatus
from kept.fetch.outcome import FORBIDDEN, Fetched, FetchFailed, FetchReason
from kept.services.pages.states import describe_fetch
from kept.urls.identity import keeps_identity, leads_home
from kept.urls.url import NormalisedUrl

UNREAD: Final = "The page could not be read in time."


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
    is_the_page: bool = False
    """It was fetched whole, and nothing stood in its way."""
    is_blocked: bool = False
    error: str | None = None
    record: AttemptRecord = NOTHING_TO_TELL
    document: DocumentType | None = None
    """What it is, if it is no page."""


def decide_card(
    submitted: NormalisedUrl,
    fetched: Fetched | FetchFailed,
    card: PageCard | None,
    *,
    has_image: bool,
    keeps_image: bool | None = None,
) -> CardDecision:
    """`has_image`: the media had one before; `keeps_image`: and has it still if the page names none now."""
    record = describe_fetch(fetched)
    document = _recognise(fetched)
    if document is not None:
        return _decide_from_file(fetched, document, has_image=has_image)
    if card is not None and fetched.final_url is not None and leads_home(submitted, fetched.final_url):
        card = PageCard(PageMetadata(), FRONT_PAGE)
    match fetched:
        case Fetched() if card is not None:
            keeps_image = has_image if keeps_image is None or not card.is_the_page else keeps_image
            return _decide_from_page(submitted, fetched, card, has_image=keeps_image)
        case FetchFailed(reason=reason, message=message) if reason in FORBIDDEN:
            blocked = replace(record, code=fetched.code, validation_reason=reason)
            return CardDecision(
                CardOutcome.FAILED, EnrichmentStatus.FAILED, is_blocked=True, error=message, record=blocked
            )
        case Fetched():
            status = decide_after_fetch(has_image=has_image)
            return CardDecision(CardOutcome.FAILED, status, error=UNREAD, record=replace(record, message=UNREAD))
        case _:
            return _decide_from_part(fetched, card, has_image=has_image)


def _decide_from_page(submitted: NormalisedUrl, fetched: Fetched, card: PageCard, *, has_image: bool) -> CardDecision:
    is_named = card.is_the_page and keeps_identity(submitted, fetched.final_url)
    page = card.metadata if fetched.final_url.route is None else _keep_site(card.metadata)
    found_image = page.preview_image_url is not None
    return CardDecision(
        CardOutcome.SUCCEEDED if found_image else CardOutcome.PARTIAL,
        decide_after_fetch(has_image=found_image or has_image),
        page=page,
        canonical_url=fetched.final_url if is_named else None,
        is_the_page=card.is_the_page,
        error=None if card.is_the_page else card.verdict.reason,
        record=replace(describe_fetch(fetched), found=_list_found(page), page=card.verdict.kind),
    )


def _recognise(fetched: Fetched | FetchFailed) -> DocumentType | None:
    """Of a file whose type says it all, nothing was read."""
    if isinstance(fetched, FetchFailed):
        is_file = fetched.reason is FetchReason.UNSUPPORTED_CONTENT
        return recognise_type(fetched.content_type) if is_file else None
    return recognise(fetched.body[:HEAD_BYTES], fetched.headers.get("content-type"), _name_file(fetched))


def _name_file(fetched: Fetched | FetchFailed) -> str:
    return find_file_name(str(fetched.final_url), fetched.headers.get("content-disposition"))


def _decide_from_file(fetched: Fetched | FetchFailed, document: DocumentType, *, has_image: bool) -> CardDecision:
    """Its name, until a worker has read it."""
    page = PageMetadata(title=make_title(_name_file(fetched)))
    return CardDecision(
        CardOutcome.PARTIAL,
        decide_after_fetch(has_image=has_image),
        page=page,
        record=replace(describe_fetch(fetched), message=None, found=_list_found(page)),
        document=document,
    )


def _keep_site(page: PageMetadata) -> PageMetadata:
    """Of a page that a script draws, a fetch brings the frame that all pages of the site share."""
    return PageMetadata(site_name=page.site_name or page.title, lang=page.lang, favicon_url=page.favicon_url)


def _decide_from_part(fetched: Fetched | FetchFailed, card: PageCard | None, *, has_image: bool) -> CardDecision:
    """Tags that came before the page stalled or broke off fill the card; they do not tell which URL names it."""
    record = describe_fetch(fetched)
    if card is None:
        status = decide_after_fetch(has_image=has_image)
        return CardDecision(_name_failure(fetched), status, error=record.message, record=record)
    found_image = card.metadata.preview_image_url is not None
    return CardDecision(
        _name_failure(fetched),
        decide_after_fetch(has_image=found_image or has_image),
        page=card.metadata,
        error=None if found_image else record.message,
        record=replace(record, found=_list_found(card.metadata), page=card.verdict.kind),
    )


def _name_failure(fetched: Fetched | FetchFailed) -> CardOutcome:
    timed_out = isinstance(fetched, FetchFailed) and fetched.reason.endswith("timed_out")
    return CardOutcome.TIMED_OUT if timed_out else CardOutcome.FAILED


def _list_found(page: PageMetadata) -> tuple[str, ...]:
    named = {"title": page.title, "excerpt": page.excerpt, "image": page.preview_image_url}
    return tuple(name for name, value in named.items() if value is not None)
