"""The stable codes a failure carries, in the database and in the API. Messages may change; these may not."""

from enum import StrEnum
from typing import Final


class FailureCode(StrEnum):
    """Why a media could not be fetched, read or kept."""

    URL_INVALID = "E_URL_INVALID"
    FETCH_FAILED = "E_FETCH_FAILED"
    FETCH_FORBIDDEN = "E_FETCH_FORBIDDEN"
    FETCH_UNSUPPORTED_CONTENT_TYPE = "E_FETCH_UNSUPPORTED_CONTENT_TYPE"
    FETCH_KIND_MISMATCH_PDF = "E_FETCH_KIND_MISMATCH_PDF"
    FETCH_KIND_MISMATCH_EPUB = "E_FETCH_KIND_MISMATCH_EPUB"
    EXTRACT_NO_CONTENT = "E_EXTRACT_NO_CONTENT"
    EXTRACT_CHALLENGE = "E_EXTRACT_CHALLENGE"
    EXTRACT_LOGIN = "E_EXTRACT_LOGIN"
    EXTRACT_CONSENT = "E_EXTRACT_CONSENT"
    EXTRACT_SOFT_404 = "E_EXTRACT_SOFT_404"
    DOCUMENT_ENCRYPTED = "E_DOCUMENT_ENCRYPTED"
    DOCUMENT_BROKEN = "E_DOCUMENT_BROKEN"
    DOCUMENT_TOO_LARGE = "E_DOCUMENT_TOO_LARGE"
    SANITIZE_FAILED = "E_SANITIZE_FAILED"
    CANONICALIZE_FAILED = "E_CANONICALIZE_FAILED"
    INGEST_TIMEOUT = "E_INGEST_TIMEOUT"
    INGEST_FAILED = "E_INGEST_FAILED"
    WORKER_LOST = "E_WORKER_LOST"


class FailureStage(StrEnum):
    """The step of the pipeline that gave up."""

    VALIDATE = "validate"
    FETCH = "fetch"
    RENDER = "render"
    EXTRACT = "extract"
    SANITIZE = "sanitize"
    STORE = "store"


# Trying again ends the same way: what is there is no page, or Kept may not fetch it or has no account for it.
RETRY_CANNOT_HELP: Final = frozenset(
    {
        FailureCode.URL_INVALID,
        FailureCode.FETCH_FORBIDDEN,
        FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE,
        FailureCode.FETCH_KIND_MISMATCH_PDF,
        FailureCode.FETCH_KIND_MISMATCH_EPUB,
        FailureCode.EXTRACT_LOGIN,
        FailureCode.DOCUMENT_ENCRYPTED,
        FailureCode.DOCUMENT_BROKEN,
        FailureCode.DOCUMENT_TOO_LARGE,
    }
)

# Those of them that may be a document, which helps where one is accepted now and was not then, or was unreadable.
MAY_BE_DOCUMENTS: Final = frozenset(
    {
        FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE,
        FailureCode.FETCH_KIND_MISMATCH_PDF,
        FailureCode.FETCH_KIND_MISMATCH_EPUB,
    }
)

# Something stands before the page, which is there. What it looks like may be shown; it is never the article.
WALLS: Final = frozenset({FailureCode.EXTRACT_CHALLENGE, FailureCode.EXTRACT_LOGIN, FailureCode.EXTRACT_CONSENT})
