"""Pages, articles and failures as frames, between the extractor pool and its worker program.

No pickle: what comes back was made beside hostile markup, so each value is checked again on arrival.
"""

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from kept.content.article.canonical import CanonicalText
from kept.content.article.extract import Article, ExtractFailed, Page
from kept.content.article.safe_html import SafeHtml
from kept.content.article.sanitise import ImageRef
from kept.content.page.metadata import PageMetadata
from kept.subprocesses.frames import Frame, FrameError
from kept.subprocesses.plain_values import as_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_TEXT_FIELDS: Final = ("title", "byline", "excerpt", "site_name", "lang", "dir")


def encode_page(page: Page, seconds: float) -> Frame:
    header = {one.name: as_json(getattr(page, one.name)) for one in fields(page) if one.name != "body"}
    return Frame({**header, "seconds": seconds}, page.body)


def parse_page(frame: Frame) -> tuple[Page, float]:
    """In the child, which can trust what its own pool says."""
    header = {**frame.header, "media_id": UUID(frame.header["media_id"])}
    seconds = float(header.pop("seconds"))
    return Page(frame.body, **header), seconds


def encode_outcome(outcome: Article | ExtractFailed) -> Frame:
    match outcome:
        case ExtractFailed():
            return Frame({one.name: as_json(getattr(outcome, one.name)) for one in fields(outcome)})
        case Article():
            html = str(outcome.html).encode()
            header = {
                **{name: getattr(outcome, name) for name in _TEXT_FIELDS},
                "word_count": outcome.word_count,
                "images": as_json(outcome.images),
                "text_version": outcome.text.version,
                "html_bytes": len(html),
                "metadata": as_json(outcome.metadata),
            }
            return Frame(header, html + outcome.text.text.encode())


def parse_outcome(frame: Frame) -> Article | ExtractFailed:
    """What the worker program answered; `FrameError` if it could not have said that."""
    try:
        return parse_failure(frame) if "code" in frame.header else parse_article(frame)
    except (KeyError, TypeError, ValueError) as error:  # pydantic's errors are ValueErrors
        raise FrameError(f"an answer that makes no sense: {error}") from None


def parse_failure(frame: Frame) -> ExtractFailed:
    failure: ExtractFailed = _checks(ExtractFailed).validate_python(frame.header)
    return failure


def parse_article(frame: Frame) -> Article:
    header = frame.header
    end = int(header["html_bytes"])
    html = SafeHtml.admit(frame.body[:end].decode())
    if html is None:
        raise ValueError("the article is not sanitised")
    return Article(
        **{name: _checks(str | None).validate_python(header[name]) for name in _TEXT_FIELDS},
        word_count=int(header["word_count"]),
        html=html,
        text=CanonicalText(frame.body[end:].decode(), int(header["text_version"])),
        images=_checks(tuple[ImageRef, ...]).validate_python(header["images"]),
        metadata=_checks(PageMetadata).validate_python(header["metadata"]),
    )


@cache
def _checks(kind: Any) -> "TypeAdapter[Any]":
    """Made when first needed, in the worker: its child starts without pydantic."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
