"""Texts about failures and about the save history: one or two sentences for each step."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kept.domain.attempt import AttemptRecord, Via
from kept.domain.failures import FailureCode
from kept.domain.history import Line
from kept.domain.joined_pages import MAX_JOINED, MissingPages
from kept.domain.lifecycle import Lifecycle, ProcessingStatus
from kept.web.formatting import format_duration, format_list
from kept.web.languages import ENGLISH, current_language
from kept.web.translating import N_, NN_, _, join_sentences, ngettext, translate_message

PARTS: Final = {"title": N_("a title"), "excerpt": N_("an excerpt"), "image": N_("an image")}
PREVIEW_TEXTS: Final = {
    "pending": N_("Waiting for a preview image."),
    "succeeded": N_("Preview complete."),
    "failed": N_("The preview couldn't be created."),
}
FETCHED_VIA: Final = NN_(
    "Fetched via %(num)s redirect in %(duration)s.", "Fetched via %(num)s redirects in %(duration)s."
)
REQUESTED_VIA: Final = NN_(
    "Requested via %(num)s redirect (took %(duration)s).", "Requested via %(num)s redirects (took %(duration)s)."
)
JOINED: Final = NN_("Joined from %(num)s page of the site.", "Joined from %(num)s pages of the site.")
LIMITED: Final = NN_(
    "The article goes on: Kept joins %(num)s page at most.", "The article goes on: Kept joins %(num)s pages at most."
)
RULE_TEXTS: Final = {
    "applied": N_("A site rule was applied."),
    "matched_nothing": N_("The site rule matched nothing on this page."),
}
CARD_ONLY: Final = N_("Only the card was saved. This server doesn't save articles by itself.")
ADVICE: Final[Mapping[str, str]] = {
    FailureCode.URL_INVALID: N_("Kept can only save web pages. The link stays in your library."),
    FailureCode.FETCH_FAILED: N_(
        "The site may be down, or the page may be gone. If the original opens in your browser, try again."
    ),
    FailureCode.FETCH_FORBIDDEN: N_(
        "Kept isn't allowed to fetch this URL. If it is on your own network, an administrator can allow it with "
        "KEPT_FETCH_ALLOW."
    ),
    FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE: N_("This is a file, not a web page. The link stays in your library."),
    FailureCode.FETCH_KIND_MISMATCH_PDF: N_(
        "This is a PDF, and an article was asked for. Save the link to keep the PDF."
    ),
    FailureCode.FETCH_KIND_MISMATCH_EPUB: N_(
        "This is an e-book, and an article was asked for. Save the link to keep the e-book."
    ),
    FailureCode.DOCUMENT_ENCRYPTED: N_("The file is protected with a password. It is kept, but can't be read here."),
    FailureCode.DOCUMENT_BROKEN: N_("The file is damaged. It is kept as it is, but can't be read here."),
    FailureCode.DOCUMENT_TOO_LARGE: N_("The file takes more room, time or memory than there is for it."),
    FailureCode.EXTRACT_NO_CONTENT: N_(
        "No article was found. The page may be a list, a video or an app. Try again if the page has changed."
    ),
    FailureCode.EXTRACT_CHALLENGE: N_(
        "The site asks visitors to prove that they are human, which Kept can't do. Open the original, or try again "
        "later."
    ),
    FailureCode.EXTRACT_LOGIN: N_(
        "The site shows this page only after signing in, and Kept has no account there. Open the original."
    ),
    FailureCode.EXTRACT_CONSENT: N_(
        "The site wants consent to cookies before it shows the page, which Kept doesn't give. Open the original, or "
        "try again later."
    ),
    FailureCode.EXTRACT_SOFT_404: N_(
        "The site says that there is no such page. It may have moved; check the URL, or try again later."
    ),
    FailureCode.SANITIZE_FAILED: N_("The page couldn't be made safe to show. Try again if the page has changed."),
    FailureCode.CANONICALIZE_FAILED: N_("The text of the page couldn't be extracted. Try again."),
    FailureCode.INGEST_TIMEOUT: N_("Saving took too long. The site may be slow; try again later."),
    FailureCode.INGEST_FAILED: N_(
        "Something went wrong on the server. Try again; administrators can find details in the log."
    ),
    FailureCode.WORKER_LOST: N_("Saving was interrupted several times. The page may be too large; try again later."),
}
UNKNOWN: Final = N_("Unknown error")
REASONS: Final[Mapping[str, str]] = {
    FailureCode.URL_INVALID: N_("Not a web page"),
    FailureCode.FETCH_FAILED: N_("Couldn't be fetched"),
    FailureCode.FETCH_FORBIDDEN: N_("URL not allowed"),
    FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE: N_("Unsupported file type"),
    FailureCode.FETCH_KIND_MISMATCH_PDF: N_("PDF files"),
    FailureCode.FETCH_KIND_MISMATCH_EPUB: N_("E-books"),
    FailureCode.DOCUMENT_ENCRYPTED: N_("Protected with a password"),
    FailureCode.DOCUMENT_BROKEN: N_("Damaged files"),
    FailureCode.DOCUMENT_TOO_LARGE: N_("Too large to read"),
    FailureCode.EXTRACT_NO_CONTENT: N_("No article found"),
    FailureCode.EXTRACT_CHALLENGE: N_("Blocked by a bot check"),
    FailureCode.EXTRACT_LOGIN: N_("Sign-in required"),
    FailureCode.EXTRACT_CONSENT: N_("Consent required"),
    FailureCode.EXTRACT_SOFT_404: N_("Page not found"),
    FailureCode.SANITIZE_FAILED: N_("Couldn't be made safe"),
    FailureCode.CANONICALIZE_FAILED: N_("No text found"),
    FailureCode.INGEST_TIMEOUT: N_("Timed out"),
    FailureCode.INGEST_FAILED: N_("Server error"),
    FailureCode.WORKER_LOST: N_("Interrupted"),
}


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    at: datetime | None
    """None where the time would disclose when another user saved the page."""
    text: str
    tone: str = "plain"
    """plain, good or bad."""


def describe_line(line: Line) -> HistoryEntry:
    if line.lifecycle is Lifecycle.ENRICHMENT:
        return describe_preview(line)
    details = line.record
    match line.to_state:
        case ProcessingStatus.PENDING:
            return HistoryEntry(line.at, _("Link saved."))
        case ProcessingStatus.INVALID_URL:
            return HistoryEntry(line.at, join_sentences(_("Link saved."), message_of(details)), "bad")
        case ProcessingStatus.CARD_ONLY:
            return HistoryEntry(line.at, _(CARD_ONLY))
        case ProcessingStatus.EXTRACTING:
            return HistoryEntry(line.at, describe_attempt(line))
        case ProcessingStatus.READY_FOR_READING:
            return HistoryEntry(line.at, join_sentences(describe_fetch(details), describe_article(details)), "good")
        case ProcessingStatus.BLOCKED:
            return HistoryEntry(line.at, join_sentences(_("Not fetched."), message_of(details)), "bad")
        case _:
            failed = join_sentences(describe_fetch(details), _("Saving failed."), message_of(details))
            return HistoryEntry(line.at, failed, "bad")


def describe_article(details: AttemptRecord) -> str:
    return join_sentences(describe_saved(details), describe_rule(details.site_rule), describe_pages(details))


def describe_saved(details: AttemptRecord) -> str:
    if details.extract_ms is None:
        return _("Article saved.")
    return _("Article saved (extracted in %(duration)s).", duration=format_duration(details.extract_ms))


def describe_rule(site_rule: str | None) -> str:
    return _(RULE_TEXTS[site_rule]) if site_rule in RULE_TEXTS else ""


def describe_pages(details: AttemptRecord) -> str:
    joined = ngettext(*JOINED, details.pages) if details.pages is not None and details.pages > 1 else ""
    match details.missing_pages:
        case (first, last):
            return join_sentences(joined, describe_missing(MissingPages(first, last)))
        case _:
            return joined


def describe_missing(missing: MissingPages) -> str:
    if missing.is_beyond_limit:
        return ngettext(*LIMITED, MAX_JOINED)
    if missing.first == missing.last:
        return _("Page %(number)s could not be fetched.", number=missing.first)
    return _("Pages %(first)s to %(last)s could not be fetched.", first=missing.first, last=missing.last)


def describe_preview(line: Line) -> HistoryEntry:
    details = line.record
    if "screenshot" in (details.found or ()):
        return HistoryEntry(line.at, describe_screenshot(details), "good")
    is_good = line.to_state == "succeeded" and details.code is None  # with a code it ended without an image
    tone = "bad" if line.to_state == "failed" else "good" if is_good else "plain"
    text = join_sentences(describe_fetch(details), describe_found(details.found), message_of(details))
    return HistoryEntry(line.at, text or _(PREVIEW_TEXTS[line.to_state]), tone)


def describe_screenshot(details: AttemptRecord) -> str:
    if details.fetch_ms is None:
        return _("Screenshot taken.")
    return _("Screenshot taken in %(duration)s.", duration=format_duration(details.fetch_ms))


def describe_fetch(details: AttemptRecord) -> str:
    """How the page was fetched: "Fetched via 2 redirects in 310 ms." Empty for a page that was fetched before."""
    if details.via == Via.FILE:
        return _("Imported from a file.")
    if details.via == Via.BROWSER and details.fetch_ms is None:
        return _("Opened in a browser.")
    if details.via == Via.SNAPSHOT or details.fetch_ms is None:
        return ""
    duration = format_duration(details.fetch_ms)
    if details.via == Via.BROWSER:
        return _("Opened in a browser in %(duration)s.", duration=duration)
    is_good = details.http_status is not None and details.http_status < 400
    return describe_answer(details.redirects or 0, duration, is_good=is_good)


def describe_answer(redirects: int, duration: str, *, is_good: bool) -> str:
    if not redirects:
        text = N_("Fetched in %(duration)s.") if is_good else N_("Requested (took %(duration)s).")
        return _(text, duration=duration)
    return ngettext(*(FETCHED_VIA if is_good else REQUESTED_VIA), redirects, duration=duration)


def describe_found(found: tuple[str, ...] | None) -> str:
    if found is None:
        return ""
    named = [_(text) for name, text in PARTS.items() if name in found]
    if not named:
        return _("No title, excerpt or image found.")
    missing = "" if "image" in found else _("No image found.")
    return join_sentences(_("Found %(parts)s.", parts=format_list(named)), missing)


def describe_attempt(line: Line) -> str:
    number = line.record.attempt
    if line.is_handed_over:
        return join_sentences(describe_fetch(line.record), message_of(line.record), _("Trying with a browser."))
    if line.from_state == ProcessingStatus.EXTRACTING:
        again = _("Retrying (attempt %(number)s).", number=number) if number else _("Retrying.")
        return join_sentences(describe_fetch(line.record), message_of(line.record), again)
    if line.from_state in {ProcessingStatus.PENDING, ProcessingStatus.CARD_ONLY}:
        started = _("Started saving the article (attempt %(number)s).", number=number)
        return started if number else _("Started saving the article.")
    return _("Retry requested (attempt %(number)s).", number=number) if number else _("Retry requested.")


def message_of(details: AttemptRecord) -> str:
    return tell_failure(details.code, details.message)


def tell_failure(code: str | None, message: str | None) -> str:
    """The message, or in another language what the code stands for: an older version may have stored other words."""
    told = translate_message(message or "")
    if code is None or told != message or current_language() is ENGLISH:
        return told
    return _("%(reason)s.", reason=get_reason(code))


def get_advice(code: str | None) -> str:
    return _(ADVICE.get(code or "", ADVICE[FailureCode.INGEST_FAILED]))


def get_reason(code: str | None) -> str:
    return _(REASONS.get(code or "", UNKNOWN))
