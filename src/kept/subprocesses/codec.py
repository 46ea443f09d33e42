"""Pages, articles and failures as frames, between the pool and its children.

No pickle: what comes back was made beside hostile markup, so each value is checked again on arrival.
"""

from typing import Any, Final
from uuid import UUID

from pydantic import TypeAdapter

from kept.content.article.canonical import CanonicalText
from kept.content.article.extract import Article, ExtractFailed, Page
from kept.content.article.safe_html import SafeHtml
from kept.content.article.sanitise import ImageRef
from kept.content.page.metadata import PageMetadata
from kept.domain.failures import FailureCode, FailureStage
from kept.subprocesses.frames import Frame, FrameError

_METADATA: Final = TypeAdapter(PageMetadata | None)
_IMAGES: Final = TypeAdapter(tuple[ImageRef, ...])
_TEXT: Final = TypeAdapter(str | None)
_TEXT_FIELDS: Final = ("title", "byline", "excerpt", "site_name", "lang", "dir")


def encode_page(page: Page, seconds: float) -> Frame:
    header = {
        "seconds": seconds,
        "final_url": page.final_url,
        "media_id": str(page.media_id),
        "content_type": page.content_type,
        "status": page.status,
        "canonical_url": page.canonical_url,
        "is_article": page.is_article,
        "is_copy": page.is_copy,
    }
    return Frame(header, page.body)


def parse_page(frame: Frame) -> tuple[Page, float]:
    header = frame.header
    page = Page(
        body=frame.body,
        final_url=header["final_url"],
        media_id=UUID(header["media_id"]),
        content_type=header["content_type"],
        status=header["status"],
        canonical_url=header["canonical_url"],
        is_article=header["is_article"] is True,
        is_copy=header["is_copy"] is True,
    )
    return page, float(header["seconds"])


def encode_outcome(outcome: Article | ExtractFailed) -> Frame:
    metadata = _METADATA.dump_python(outcome.metadata, mode="json")
    match outcome:
        case ExtractFailed(code, message, stage):
            return Frame({"code": code, "message": message, "stage": stage, "metadata": metadata})
        case Article():
            html = str(outcome.html).encode()
            header = {
                **{name: getattr(outcome, name) for name in _TEXT_FIELDS},
                "word_count": outcome.word_count,
                "images": _IMAGES.dump_python(outcome.images, mode="json"),
                "text_version": outcome.text.version,
                "html_bytes": len(html),
                "metadata": metadata,
            }
            return Frame(header, html + outcome.text.text.encode())


def parse_outcome(frame: Frame) -> Article | ExtractFailed:
    """What the child answered; `FrameError` if a child of ours could not have said that."""
    try:
        return parse_failure(frame.header) if "code" in frame.header else parse_article(frame)
    except (KeyError, TypeError, ValueError) as error:  # pydantic's errors are ValueErrors
        raise FrameError(f"an answer that makes no sense: {error}") from None


def parse_failure(header: Any) -> ExtractFailed:
    return ExtractFailed(
        FailureCode(header["code"]),
        str(header["message"]),
        FailureStage(header["stage"]),
        _METADATA.validate_python(header["metadata"]),
    )


def parse_article(frame: Frame) -> Article:
    header = frame.header
    end = int(header["html_bytes"])
    html = SafeHtml.admit(frame.body[:end].decode())
    metadata = _METADATA.validate_python(header["metadata"])
    if html is None or metadata is None:
        raise ValueError("the article is not sanitised")
    return Article(
        **{name: _TEXT.validate_python(header[name]) for name in _TEXT_FIELDS},
        word_count=int(header["word_count"]),
        html=html,
        text=CanonicalText(frame.body[end:].decode(), int(header["text_version"])),
        images=_IMAGES.validate_python(header["images"]),
        metadata=metadata,
    )
