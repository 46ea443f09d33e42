"""Values that columns may have, apart from the modules that work with them: whoever imports the tables imports these
alone. Others import each from where it is used."""

from enum import StrEnum


class NumberKind(StrEnum):
    ITEM = "item"
    TAG = "tag"
    HIGHLIGHT = "highlight"


class GrantState(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"


class AppTokenKind(StrEnum):
    ACCESS = "access"
    """Sent with every request."""
    REFRESH = "refresh"
    """Traded for new ones."""


class CaptureFormat(StrEnum):
    UPLOAD = "upload"
    """The file that somebody uploaded: HTML or MHTML, never shown as it is."""
    DOCUMENT = "document"
    """The file that a document is: a PDF, an e-book, text or an image."""
    MHTML = "mhtml"
    HTML = "html"
    """Made of the one or the other: nothing in it runs or loads anything."""
    PNG = "png"
    PDF = "pdf"
