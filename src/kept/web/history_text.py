"""A media's history in sentences, and what one can do about a failure. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kept.domain.attempt import AttemptRecord, Via
from kept.domain.failures import FailureCode
from kept.domain.history import Line
from kept.domain.lifecycle import Lifecycle, ProcessingStatus
from kept.web.formatting import count, say_duration

FOUND: Final = {"title": "a title", "excerpt": "an excerpt", "image": "a picture"}
ADVICE: Final[Mapping[str, str]] = {
    FailureCode.URL_INVALID: "Kept keeps web pages. The address stays here as you saved it.",
    FailureCode.FETCH_FAILED: "The site may be down, or the page gone. See if the original opens; if so, try again.",
    FailureCode.FETCH_FORBIDDEN: "Kept does not visit addresses inside networks it must not enter. "
    "If this one is yours, whoever runs this Kept can allow it with KEPT_FETCH_ALLOW.",
    FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE: "It is a file, not a page to read. The link stays, and the original "
    "opens as ever.",
    FailureCode.FETCH_KIND_MISMATCH_PDF: "It is a PDF. Kept cannot turn PDFs into articles yet; the link stays.",
    FailureCode.FETCH_KIND_MISMATCH_EPUB: "It is an e-book. Kept cannot turn those into articles; the link stays.",
    FailureCode.EXTRACT_NO_CONTENT: "There was no article on the page: perhaps a list, a video or an app. "
    "The card stays, and the original opens as ever.",
    FailureCode.EXTRACT_CHALLENGE: "The site asks visitors to prove that they are human, and Kept does not pretend. "
    "Open the original; sometimes a later attempt gets through.",
    FailureCode.SANITIZE_FAILED: "The page could not be made safe to show. Trying again may help if the page changes.",
    FailureCode.CANONICALIZE_FAILED: "The page's text could not be taken out. Trying again may help.",
    FailureCode.INGEST_TIMEOUT: "It took too long. The site may be slow today: try again later.",
    FailureCode.INGEST_FAILED: "Something went wrong on our side. Try again; whoever runs this Kept finds more in "
    "its log.",
    FailureCode.WORKER_LOST: "The worker stopped in the middle, more than once. The page may be too heavy: try again "
    "later.",
}
REASONS: Final[Mapping[str, str]] = {
    FailureCode.URL_INVALID: "Not a web page",
    FailureCode.FETCH_FAILED: "Could not be fetched",
    FailureCode.FETCH_FORBIDDEN: "Address not allowed",
    FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE: "Not a page to read",
    FailureCode.FETCH_KIND_MISMATCH_PDF: "PDF files",
    FailureCode.FETCH_KIND_MISMATCH_EPUB: "E-books",
    FailureCode.EXTRACT_NO_CONTENT: "No article found",
    FailureCode.EXTRACT_CHALLENGE: "Blocked by a challenge",
    FailureCode.SANITIZE_FAILED: "Could not be made safe",
    FailureCode.CANONICALIZE_FAILED: "No text found",
    FailureCode.INGEST_TIMEOUT: "Took too long",
    FailureCode.INGEST_FAILED: "Went wrong on our side",
    FailureCode.WORKER_LOST: "Worker lost",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """One step: what happened, told in a sentence or two."""

    at: datetime | None
    """None where it would tell of somebody else."""
    text: str
    tone: str = "plain"
    """plain, good or bad."""


def tell(line: Line) -> Sentence:
    said = line.record
    if line.lifecycle is Lifecycle.ENRICHMENT:
        return tell_card(line, said)
    match line.to_state:
        case ProcessingStatus.PENDING:
            return Sentence(line.at, "Saved.")
        case ProcessingStatus.INVALID_URL:
            return Sentence(line.at, join("Saved.", message_of(said)), "bad")
        case ProcessingStatus.EXTRACTING:
            return Sentence(line.at, tell_attempt(line, said))
        case ProcessingStatus.READY_FOR_READING:
            return Sentence(line.at, join(tell_visit(said), tell_kept(said)), "good")
        case ProcessingStatus.BLOCKED:
            return Sentence(line.at, join("Not fetched.", message_of(said)), "bad")
        case _:
            return Sentence(line.at, join(tell_visit(said), "Gave up.", message_of(said)), "bad")


def tell_card(line: Line, said: AttemptRecord) -> Sentence:
    if "screenshot" in (said.found or ()):
        return Sentence(line.at, f"Screenshot taken{within(said.fetch_ms)}.", "good")
    found = tell_found(said.found)
    is_good = line.to_state == "succeeded" and said.code is None  # finished, if without its picture
    tone = "bad" if line.to_state == "failed" else "good" if is_good else "plain"
    text = join(tell_visit(said), found, message_of(said))
    return Sentence(line.at, text or CARD_SAID[line.to_state], tone)


CARD_SAID: Final = {
    "pending": "The card waits for a picture.",
    "succeeded": "The card is finished.",
    "failed": "The card could not be filled.",
}


def tell_visit(said: AttemptRecord) -> str:
    """How the page was reached: "Fetched via 2 redirects in 310 ms." Nothing for a page fetched before."""
    if said.via == Via.BROWSER:
        took = said.fetch_ms
        return f"Visited with a browser{within(took)}."
    if said.via == Via.FILE:
        return "It came with a file that was imported."
    if said.via == Via.SNAPSHOT or said.fetch_ms is None:
        return ""
    redirects, status = said.redirects or 0, said.http_status
    by_way = f" via {count(redirects, 'redirect')}" if redirects else ""
    if status is not None and status < 400:
        return f"Fetched{by_way}{within(said.fetch_ms)}."
    return f"Asked the site for the page{by_way}; that took {say_duration(said.fetch_ms)}."


def within(ms: float | None) -> str:
    return f" in {say_duration(ms)}" if ms is not None else ""


def tell_found(found: tuple[str, ...] | None) -> str:
    if found is None:
        return ""
    named = [words for name, words in FOUND.items() if name in found]
    missing = "" if "image" in found else " No picture found."
    return f"Found {listed(named)}.{missing}" if named else "Nothing to show on a card was found."


def tell_attempt(line: Line, said: AttemptRecord) -> str:
    attempt = said.attempt
    number = f" (attempt {attempt})" if attempt else ""
    if line.from_state == ProcessingStatus.EXTRACTING:
        return join(tell_visit(said), message_of(said), f"Trying again{number}.")
    if line.from_state == ProcessingStatus.PENDING:
        return f"Began to read the page{number}."
    return f"Tried again, because somebody asked for it{number}."


def tell_kept(said: AttemptRecord) -> str:
    return f"The article is kept{extracted(said.extract_ms)}."


def extracted(ms: float | None) -> str:
    return f"; taking it out of the page took {say_duration(ms)}" if ms is not None else ""


def message_of(said: AttemptRecord) -> str:
    return str(said.message or "")


def join(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def advise(code: str | None) -> str:
    return ADVICE.get(code or "", ADVICE[FailureCode.INGEST_FAILED])


def name_reason(code: str | None) -> str:
    return REASONS.get(code or "", "For another reason")
