"""Messages from below the pages in the language of the page: errors, reasons of failures, problems of an import.

An error carries its message with the values by name (`KeptError.told`). A stored reason is a sentence in English: those
with values in them are listed here (`list_sentences`), so that each can be found again.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from kept.content.article.article import ARTICLE_TOO_LONG
from kept.content.import_formats.archive import TOO_MANY_FILES
from kept.content.import_formats.registry import READERS, say_other_format
from kept.content.page.bounds import NESTED_TOO_DEEP
from kept.content.page.vendors import VENDORS, say_robot_check
from kept.content.whole_page.mhtml import TOO_MANY_PARTS
from kept.domain.failures import FailureCode
from kept.domain.message import Message
from kept.fetch.outcome import say_status
from kept.urls.given import TOO_LONG as URL_TOO_LONG
from kept.web.i18n import ENGLISH, N_, _, current_language, translate_message

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


def tell(said: str | Message) -> str:
    """Translate a message, or a stored sentence in English, into the language of the page."""
    return translate_message(list_sentences().get(str(said)) or (Message(said) if isinstance(said, str) else said))


@cache
def list_sentences() -> Mapping[str, Message]:
    """Return the messages with values that may be stored, by their English sentence."""
    limits = (ARTICLE_TOO_LONG, NESTED_TOO_DEEP, TOO_MANY_FILES, TOO_MANY_PARTS, URL_TOO_LONG)
    checks = (say_robot_check(vendor.name) for vendor in VENDORS)
    statuses = (say_status(status) for status in range(100, 1000))
    formats = (say_other_format(reader) for reader in READERS)
    return {str(message): message for message in (*limits, *checks, *statuses, *formats)}


def tell_problem(problem: Mapping[str, Any]) -> str:
    """Say why rows of an imported file were rejected; `problem` is an entry of the report."""
    return tell(Message(problem["text"], problem["values"]) if "text" in problem else str(problem["reason"]))


def tell_failure(code: str | None, message: str | None) -> str:
    """Translate the stored message, or if it has no translation, since its words are older, say what the code means."""
    told = tell(message or "")
    if code is None or told != message or current_language() is ENGLISH:
        return told
    return _("%(reason)s.", reason=get_reason(code))


def get_advice(code: str | None) -> str:
    return _(ADVICE.get(code or "", ADVICE[FailureCode.INGEST_FAILED]))


def get_reason(code: str | None) -> str:
    return _(REASONS.get(code or "", UNKNOWN))
