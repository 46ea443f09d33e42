"""Pages, articles and failures as frames, between the extractor pool and its worker program.

No pickle: what comes back was made beside hostile markup, so each value is checked again on arrival.
"""

from collections.abc import Sequence
from typing import Final

from pydantic import TypeAdapter

from kept.content.article.canonical import CanonicalText
from kept.content.article.extract import Article, ExtractFailed, Page
from kept.content.article.joining import JoinedText
from kept.content.article.safe_html import SafeHtml
from kept.content.article.sanitise import ImageRef
from kept.content.article.site_rule import RuleUse
from kept.content.page.metadata import PageMetadata
from kept.content.page.next_page import NextPage
from kept.subprocesses.frames import Frame, FrameError

_PAGE: Final = TypeAdapter(Page)
_FAILURE: Final = TypeAdapter(ExtractFailed)
_METADATA: Final = TypeAdapter(PageMetadata)
_IMAGES: Final = TypeAdapter(tuple[ImageRef, ...])
_NEXT_PAGE: Final = TypeAdapter(NextPage | None)
_RULE_USE: Final = TypeAdapter(RuleUse | None)
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
                "next_page": _NEXT_PAGE.dump_python(outcome.next_page, mode="json"),
                "rule_use": _RULE_USE.dump_python(outcome.rule_use, mode="json"),
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
        next_page=_NEXT_PAGE.validate_python(header["next_page"]),
        rule_use=_RULE_USE.validate_python(header["rule_use"]),
    )


# --- joining the pages of an article --------------------------------------------------------------------------------

JOIN: Final = "join"


def encode_pages(pages: Sequence[SafeHtml]) -> Frame:
    written = [str(page).encode() for page in pages]
    return Frame({JOIN: [len(page) for page in written]}, b"".join(written))


def parse_pages(frame: Frame) -> list[SafeHtml]:
    pages, start = [], 0
    for length in frame.header[JOIN]:
        page = SafeHtml.admit(frame.body[start : start + length].decode())
        if page is None:
            raise ValueError("a page is not sanitised")
        pages.append(page)
        start += length
    return pages


def encode_joined(joined: JoinedText | None) -> Frame:
    if joined is None:
        return Frame({"is_joined": False})
    html = str(joined.html).encode()
    header = {"is_joined": True, "word_count": joined.word_count, "html_bytes": len(html)}
    return Frame({**header, "text_version": joined.text.version}, html + joined.text.text.encode())


def parse_joined(frame: Frame) -> JoinedText | None:
    try:
        if not frame.header["is_joined"]:
            return None
        end = int(frame.header["html_bytes"])
        html = SafeHtml.admit(frame.body[:end].decode())
        if html is None:
            raise ValueError("the article is not sanitised")
        text = CanonicalText(frame.body[end:].decode(), int(frame.header["text_version"]))
        return JoinedText(html, text, int(frame.header["word_count"]))
    except (KeyError, TypeError, ValueError) as error:
        raise FrameError(f"an answer that makes no sense: {error}") from None
