"""Texts about failures and about the save history: one or two sentences for each step. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kept.domain.attempt import AttemptRecord, Via
from kept.domain.failures import FailureCode
from kept.domain.history import Line
from kept.domain.lifecycle import Lifecycle, ProcessingStatus
from kept.web.formatting import count, format_duration

PARTS: Final = {"title": "a title", "excerpt": "an excerpt", "image": "an image"}
PREVIEW_TEXTS: Final = {
    "pending": "Waiting for a preview image.",
    "succeeded": "Preview complete.",
    "failed": "The preview couldn't be created.",
}
CARD_ONLY: Final = "Only the card was saved. This server doesn't save articles by itself."
ADVICE: Final[Mapping[str, str]] = {
    FailureCode.URL_INVALID: "Kept can only save web pages. The link stays in your library.",
    FailureCode.FETCH_FAILED: "The site may be down, or the page may be gone. If the original opens in your browser, "
    "try again.",
    FailureCode.FETCH_FORBIDDEN: "Kept isn't allowed to fetch this URL. If it is on your own network, an administrator "
    "can allow it with KEPT_FETCH_ALLOW.",
    FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE: "This is a file, not a web page. The link stays in your library.",
    FailureCode.FETCH_KIND_MISMATCH_PDF: "PDFs can't be saved as articles yet. The link stays in your library.",
    FailureCode.FETCH_KIND_MISMATCH_EPUB: "E-books can't be saved as articles. The link stays in your library.",
    FailureCode.EXTRACT_NO_CONTENT: "No article was found. The page may be a list, a video or an app. "
    "Try again if the page has changed.",
    FailureCode.EXTRACT_CHALLENGE: "The site asks visitors to prove that they are human, which Kept can't do. "
    "Open the original, or try again later.",
    FailureCode.EXTRACT_LOGIN: "The site shows this page only after signing in, and Kept has no account there. "
    "Open the original.",
    FailureCode.EXTRACT_CONSENT: "The site wants consent to cookies before it shows the page, which Kept doesn't give. "
    "Open the original, or try again later.",
    FailureCode.EXTRACT_SOFT_404: "The site says that there is no such page. It may have moved; check the URL, or try "
    "again later.",
    FailureCode.SANITIZE_FAILED: "The page couldn't be made safe to show. Try again if the page has changed.",
    FailureCode.CANONICALIZE_FAILED: "The text of the page couldn't be extracted. Try again.",
    FailureCode.INGEST_TIMEOUT: "Saving took too long. The site may be slow; try again later.",
    FailureCode.INGEST_FAILED: "Something went wrong on the server. Try again; administrators can find details in the "
    "log.",
    FailureCode.WORKER_LOST: "Saving was interrupted several times. The page may be too large; try again later.",
}
REASONS: Final[Mapping[str, str]] = {
    FailureCode.URL_INVALID: "Not a web page",
    FailureCode.FETCH_FAILED: "Couldn't be fetched",
    FailureCode.FETCH_FORBIDDEN: "URL not allowed",
    FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE: "Unsupported file type",
    FailureCode.FETCH_KIND_MISMATCH_PDF: "PDF files",
    FailureCode.FETCH_KIND_MISMATCH_EPUB: "E-books",
    FailureCode.EXTRACT_NO_CONTENT: "No article found",
    FailureCode.EXTRACT_CHALLENGE: "Blocked by a bot check",
    FailureCode.EXTRACT_LOGIN: "Sign-in required",
    FailureCode.EXTRACT_CONSENT: "Consent required",
    FailureCode.EXTRACT_SOFT_404: "Page not found",
    FailureCode.SANITIZE_FAILED: "Couldn't be made safe",
    FailureCode.CANONICALIZE_FAILED: "No text found",
    FailureCode.INGEST_TIMEOUT: "Timed out",
    FailureCode.INGEST_FAILED: "Server error",
    FailureCode.WORKER_LOST: "Interrupted",
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
            return HistoryEntry(line.at, "Link saved.")
        case ProcessingStatus.INVALID_URL:
            return HistoryEntry(line.at, join("Link saved.", message_of(details)), "bad")
        case ProcessingStatus.CARD_ONLY:
            return HistoryEntry(line.at, CARD_ONLY)
        case ProcessingStatus.EXTRACTING:
            return HistoryEntry(line.at, describe_attempt(line))
        case ProcessingStatus.READY_FOR_READING:
            saved = f"Article saved{parenthesised('extracted in', details.extract_ms)}."
            return HistoryEntry(line.at, join(describe_fetch(details), saved), "good")
        case ProcessingStatus.BLOCKED:
            return HistoryEntry(line.at, join("Not fetched.", message_of(details)), "bad")
        case _:
            return HistoryEntry(line.at, join(describe_fetch(details), "Saving failed.", message_of(details)), "bad")


def describe_preview(line: Line) -> HistoryEntry:
    details = line.record
    if "screenshot" in (details.found or ()):
        return HistoryEntry(line.at, f"Screenshot taken{duration_suffix(details.fetch_ms)}.", "good")
    is_good = line.to_state == "succeeded" and details.code is None  # with a code it ended without an image
    tone = "bad" if line.to_state == "failed" else "good" if is_good else "plain"
    text = join(describe_fetch(details), describe_found(details.found), message_of(details))
    return HistoryEntry(line.at, text or PREVIEW_TEXTS[line.to_state], tone)


def describe_fetch(details: AttemptRecord) -> str:
    """How the page was fetched: "Fetched via 2 redirects in 310 ms." Empty for a page that was fetched before."""
    if details.via == Via.BROWSER:
        return f"Opened in a browser{duration_suffix(details.fetch_ms)}."
    if details.via == Via.FILE:
        return "Imported from a file."
    if details.via == Via.SNAPSHOT or details.fetch_ms is None:
        return ""
    redirects, status = details.redirects or 0, details.http_status
    via = f" via {count(redirects, 'redirect')}" if redirects else ""
    if status is not None and status < 400:
        return f"Fetched{via}{duration_suffix(details.fetch_ms)}."
    return f"Requested{via}{parenthesised('took', details.fetch_ms)}."


def duration_suffix(ms: float | None) -> str:
    return f" in {format_duration(ms)}" if ms is not None else ""


def parenthesised(text: str, ms: float | None) -> str:
    return f" ({text} {format_duration(ms)})" if ms is not None else ""


def describe_found(found: tuple[str, ...] | None) -> str:
    if found is None:
        return ""
    named = [text for name, text in PARTS.items() if name in found]
    if not named:
        return "No title, excerpt or image found."
    return f"Found {listed(named)}.{'' if 'image' in found else ' No image found.'}"


def describe_attempt(line: Line) -> str:
    attempt = line.record.attempt
    number = f" (attempt {attempt})" if attempt else ""
    if line.is_handed_over:
        return join(describe_fetch(line.record), message_of(line.record), "Trying with a browser.")
    if line.from_state == ProcessingStatus.EXTRACTING:
        return join(describe_fetch(line.record), message_of(line.record), f"Retrying{number}.")
    if line.from_state in {ProcessingStatus.PENDING, ProcessingStatus.CARD_ONLY}:
        return f"Started saving the article{number}."
    return f"Retry requested{number}."


def message_of(details: AttemptRecord) -> str:
    return str(details.message or "")


def join(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def get_advice(code: str | None) -> str:
    return ADVICE.get(code or "", ADVICE[FailureCode.INGEST_FAILED])


def get_reason(code: str | None) -> str:
    return REASONS.get(code or "", "Unknown error")
