"""What reading a file gives. Made in a killable child (`subprocesses.workers`), checked again on arrival."""

from dataclasses import dataclass, field

from kept.content.article.article import Article
from kept.domain.document import DocumentProblem, DocumentType, OutlineEntry, PageSize


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it can be read."""

    type: DocumentType
    article: Article
    """Its text, sanitised. Each page of a PDF and each chapter of an EPUB is one `<section>`, in order, even if it is
    empty; there are no other sections."""
    page_count: int = 0
    """The number of pages of a PDF; 0 for what has no pages."""
    page_sizes: tuple[PageSize, ...] = field(default=(), repr=False)
    """The size of each page."""
    outline: tuple[OutlineEntry, ...] = field(default=(), repr=False)
    running_text: str = field(default="", repr=False)
    """Headers and footers that repeat, each different line once; they are not in the article, but searched."""
    has_text: bool = True
    """Whether there is text; a scan has nothing to read but images of its pages."""
    is_cut: bool = False
    """Whether it has more pages or text than are read; `page_count` counts all."""
    thumbnail: bytes | None = field(default=None, repr=False)
    """The image of page one or of the cover, as WebP."""


@dataclass(frozen=True, slots=True)
class DocumentFailed:
    """A file that cannot be read; the message is for people."""

    problem: DocumentProblem
    message: str
    is_transient: bool = False
    """Whether the child hung or died, and may do better next time."""
