"""What reading a file gives. Made in a killable child (`subprocesses.workers`), checked again on arrival."""

from dataclasses import dataclass, field

from kept.content.article.article import Article
from kept.domain.document import DocumentProblem, DocumentType, OutlineEntry, PageSize


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it can be read."""

    type: DocumentType
    article: Article
    """Its text, sanitised. Each page of a PDF and each chapter of an EPUB is one `<section>`, in order, also where it
    is empty; there are no other sections."""
    page_count: int = 0
    """Of a PDF; 0 for what has no pages."""
    page_sizes: tuple[PageSize, ...] = field(default=(), repr=False)
    """As many as pages."""
    outline: tuple[OutlineEntry, ...] = field(default=(), repr=False)
    running_text: str = field(default="", repr=False)
    """Headers and footers that repeat: not in the article, but to be found by a search. Each different line once."""
    has_text: bool = True
    """False for a scan: there is nothing to read but images of its pages."""
    is_cut: bool = False
    """It has more pages or text than are read; `page_count` counts all."""
    thumbnail: bytes | None = field(default=None, repr=False)
    """Of page one or the cover: WebP."""


@dataclass(frozen=True, slots=True)
class DocumentFailed:
    """A file that cannot be read; the message is for people."""

    problem: DocumentProblem
    message: str
    is_transient: bool = False
    """The child hung or died, and may do better next time."""
