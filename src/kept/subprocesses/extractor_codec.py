"""Pages, articles and failures as frames, between the extractor pool and its worker program.

No pickle: what comes back was made beside hostile markup, so each value is checked again on arrival.
"""

from typing import Final

from pydantic import TypeAdapter

from kept.content.article.canonical import CanonicalText
from kept.content.article.extract import Article, ExtractFailed, Page
from kept.content.article.safe_html import SafeHtml
from kept.content.article.sanitise import ImageRef
from kept.content.page.metadata import PageMetadata
from kept.subprocesses.frames import Frame, FrameError

_PAGE: Final = TypeAdapter(Page)
_FAILURE: Final = TypeAdapter(ExtractFailed)
_METADATA: Final = TypeAdapter(PageMetadata)
_IMAGES: Final = TypeAdapter(tuple[ImageRef, ...])
_TEXT: Final = TypeAdapter(str | None)
_TEXT_FIELDS: Final = ("title", "byline", "excerpt", "site_name", "lang", "dir")


def encode_page(page: Page, seconds: float) -> Frame:
    return Frame({**_PAGE.dump_python(page, mode="json", exclude={"body"}), "seconds": seconds}, page.body)


def parse_page(frame: Frame) -> tuple[Page, float]:
    return _PAGE.validate_python({**frame.header, "body": frame.body}), float(frame.header["seconds"])


def encode_outcome(outcome: Article | ExtractFailed) -> Frame:
    match outcome:
        case ExtractFailed():
            return Frame(_FAILURE.dump_python(outcome, mode="json"))
        case Article():
            html = str(outcome.html).encode()
            header = {
                **{name: getattr(outcome, name) for name in _TEXT_FIELDS},
                "word_count": outcome.word_count,
                "images": _IMAGES.dump_python(outcome.images, mode="json"),
                "text_version": outcome.text.version,
                "html_bytes": len(html),
                "metadata": _METADATA.dump_python(outcome.metadata, mode="json"),
            }
            return Frame(header, html + outcome.text.text.encode())


def parse_outcome(frame: Frame) -> Article | ExtractFailed:
    """What the worker program answered; `FrameError` if it could not have said that."""
    try:
        return _FAILURE.validate_python(frame.header) if "code" in frame.header else parse_article(frame)
    except (KeyError, TypeError, ValueError) as error:  # pydantic's errors are ValueErrors
        raise FrameError(f"an answer that makes no sense: {error}") from None


def parse_article(frame: Frame) -> Article:
    header = frame.header
    end = int(header["html_bytes"])
    html = SafeHtml.admit(frame.body[:end].decode())
    if html is None:
        raise ValueError("the article is not sanitised")
    return Article(
        **{name: _TEXT.validate_python(header[name]) for name in _TEXT_FIELDS},
        word_count=int(header["word_count"]),
        html=html,
        text=CanonicalText(frame.body[end:].decode(), int(header["text_version"])),
        images=_IMAGES.validate_python(header["images"]),
        metadata=_METADATA.validate_python(header["metadata"]),
    )
