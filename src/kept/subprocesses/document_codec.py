"""Documents and failures as frames, between the document reader and its worker program.

What comes back was made beside hostile bytes, so each value is checked again on arrival.
"""

from typing import Final

from kept.content.documents.document import Document, DocumentFailed
from kept.domain.document import DocumentType, OutlineEntry, PageSize
from kept.subprocesses.extractor_codec import checks_of, encode_outcome, parse_article
from kept.subprocesses.frames import Frame, FrameError
from kept.subprocesses.plain_values import as_json


def encode_document(outcome: Document | DocumentFailed) -> Frame:
    if isinstance(outcome, DocumentFailed):
        return Frame({name: as_json(getattr(outcome, name)) for name in _FAILURE_FIELDS})
    article = encode_outcome(outcome.article)
    told = {
        "type": outcome.type.value,
        "page_count": outcome.page_count,
        "page_sizes": [[size.width, size.height] for size in outcome.page_sizes],
        "outline": as_json(outcome.outline),
        "running_text": outcome.running_text,
        "has_text": outcome.has_text,
        "is_cut": outcome.is_cut,
    }
    return Frame({**article.header, "document": told}, article.body)


def parse_document(frame: Frame) -> Document | DocumentFailed:
    """What the worker program answered; `FrameError` if it could not have said that."""
    try:
        if "problem" in frame.header:
            failed: DocumentFailed = checks_of(DocumentFailed).validate_python(
                {name: frame.header[name] for name in _FAILURE_FIELDS}
            )
            return failed
        return _parse_read(frame)
    except (KeyError, TypeError, ValueError) as error:  # pydantic's errors are ValueErrors
        raise FrameError(f"an answer that makes no sense: {error}") from None


_FAILURE_FIELDS: Final = ("problem", "message", "is_transient")


def _parse_read(frame: Frame) -> Document:
    told = frame.header["document"]
    return Document(
        type=DocumentType(told["type"]),
        article=parse_article(frame),
        page_count=int(told["page_count"]),
        page_sizes=tuple(PageSize(int(width), int(height)) for width, height in told["page_sizes"]),
        outline=checks_of(tuple[OutlineEntry, ...]).validate_python(told["outline"]),
        running_text=str(told["running_text"]),
        has_text=told["has_text"] is True,
        is_cut=told["is_cut"] is True,
    )
