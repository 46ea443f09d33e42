"""Texts of the save history: one or two sentences for each step."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kept.domain.attempt import AttemptRecord, Via
from kept.domain.history import Line
from kept.domain.joined_pages import MAX_JOINED, MissingPages
from kept.domain.lifecycle import Lifecycle, ProcessingStatus
from kept.web.i18n import N_, NN_, _, join_sentences, ngettext
from kept.web.messages import tell_failure
from kept.web.text import format_duration, format_list

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


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    at: datetime | None
    """None where the time would disclose when another user saved the page."""
    text: str
    tone: str = "plain"
    """One of plain, good and bad."""


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
    """Say how the page was fetched: "Fetched via 2 redirects in 310 ms." Empty if it was fetched before."""
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
