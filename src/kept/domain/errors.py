"""The errors a request can end in. An entry point turns each into its answer; the docstring is the message,
unless whoever raises it says another one. An error carries its code, and the values in its message by name.

KeptError
├── InvalidRequest      400  E_INVALID_REQUEST
│   ├── BodyUnreadable  400  E_INVALID_REQUEST
│   └── UrlInvalid      400  E_URL_INVALID
├── Unauthorized        401  E_UNAUTHORIZED
├── Forbidden           403  E_FORBIDDEN
├── NotFound            404  E_NOT_FOUND
├── Conflict            409  E_CONFLICT
│   ├── LostRace        409  E_CONFLICT
│   ├── TooManyHighlights 409  E_TOO_MANY_HIGHLIGHTS
│   └── QuotaExceeded   409  E_QUOTA_EXCEEDED
├── TooLarge            413  E_INVALID_REQUEST
├── QuoteNotFound       422  E_HIGHLIGHT_NOT_FOUND_IN_TEXT
├── PageUnreadable      422  E_PAGE_UNREADABLE
├── RateLimited         429  E_RATE_LIMITED
├── OriginFailed        502  E_FETCH_FAILED
└── Unavailable         503  E_UNAVAILABLE
"""

import errno
import inspect
from typing import ClassVar, Final

from kept.domain.message import Message

FULL_DISK: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


class OperatorError(Exception):
    """Something only the person who runs Kept can put right; told in one line, without a trace."""

    exit_code: ClassVar[int] = 1


class DatabaseUnreachable(OperatorError):
    """The database cannot be opened; the message says which and why, without its password."""


class DatabaseReadOnly(DatabaseUnreachable):
    """The database can be read and not written: its disk is full, or read-only."""


class KeptError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "E_INTERNAL"
    http_status: ClassVar[int] = 500

    def __init__(self, told: str | Message | None = None, **values: object) -> None:
        """Take a message, whose text has `%(name)s` for each of `values`; without one the docstring is the message."""
        text = told or inspect.cleandoc(type(self).__doc__ or "")
        self.told = text if isinstance(text, Message) else Message(text, values)
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """The message in English, for the API and the command line; pages translate `told`."""
        return str(self.told)


class InvalidRequest(KeptError):
    """The request is invalid."""

    code = "E_INVALID_REQUEST"
    http_status = 400


class BodyUnreadable(InvalidRequest):
    """The body of the request can't be read."""


class UrlInvalid(InvalidRequest):
    """This is not a web URL."""

    code = "E_URL_INVALID"


class Unauthorized(KeptError):
    """Sign in, or send a valid token."""

    code = "E_UNAUTHORIZED"
    http_status = 401


class Forbidden(KeptError):
    """You can read this, but not change it."""

    code = "E_FORBIDDEN"
    http_status = 403


class NotFound(KeptError):
    """This doesn't exist, or you don't have access to it."""

    code = "E_NOT_FOUND"
    http_status = 404


class Conflict(KeptError):
    """This isn't possible in the current state."""

    code = "E_CONFLICT"
    http_status = 409


class LostRace(Conflict):
    """This was changed by somebody else at the same time. Try again."""


class TooManyHighlights(Conflict):
    """There is no room for more highlights on this page."""

    code = "E_TOO_MANY_HIGHLIGHTS"


class QuotaExceeded(Conflict):
    """Your whole pages take all the room they may. Remove some of them first."""

    code = "E_QUOTA_EXCEEDED"


class QuoteNotFound(KeptError):
    """These words are not in the article as Kept has it."""

    code = "E_HIGHLIGHT_NOT_FOUND_IN_TEXT"
    http_status = 422


class PageUnreadable(KeptError):
    """The file is not a page that Kept can read."""

    code = "E_PAGE_UNREADABLE"
    http_status = 422


class TooLarge(KeptError):
    """The request is too large."""

    code = "E_INVALID_REQUEST"
    http_status = 413


class RateLimited(KeptError):
    """Too many requests; wait a little."""

    code = "E_RATE_LIMITED"
    http_status = 429

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(
            "Too many requests; try again in %(retry_after_seconds)s s.", retry_after_seconds=retry_after_seconds
        )
        self.retry_after_seconds = retry_after_seconds


class OriginFailed(KeptError):
    """The site didn't send it."""

    code = "E_FETCH_FAILED"
    http_status = 502


class Unavailable(KeptError):
    """Kept can't reach its database or storage right now. Try again in a moment."""

    code = "E_UNAVAILABLE"
    http_status = 503
    retry_after_seconds: ClassVar[int] = 2

    def __init__(self, reason: str | None = None) -> None:
        """`reason` is for the log (`str(error)`); people are told the docstring."""
        super().__init__()
        if reason is not None:
            self.args = (reason,)


def is_outage(error: BaseException) -> bool:
    """Return whether a place we store in was away, busy, full or read-only, so that it is worth trying again."""
    return isinstance(error, Unavailable) or (isinstance(error, OSError) and error.errno in FULL_DISK)


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, for a log."""
    return (str(error) or type(error).__name__).splitlines()[0]
