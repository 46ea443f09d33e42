"""Pages, articles and failures as frames, between the extractor pool and its worker program.

No pickle: what comes back was made beside hostile markup, so each value is checked again on arrival.
"""

from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from kept.content.article.article import Article, ExtractFailed, ImageRef, JoinedText, Page
from kept.content.article.canonical import CanonicalText
from kept.content.article.safe_html import SafeHtml
from kept.content.article.site_rules import RuleUse, SiteRule
from kept.content.page.description import PageMetadata
from kept.content.page.next_page import NextPage
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
    seconds, rule = float(header.pop("seconds")), header.pop("rule")
    return Page(frame.body, **header, rule=rule and parse_rule(rule)), seconds


def parse_rule(said: dict[str, Any]) -> SiteRule:
    """JSON has lists where a rule has tuples."""
    lists = {name: tuple(said[name]) for name in ("hosts", "take", "leave")}
    return SiteRule(**{**said, **lists})


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
                "next_page": as_json(outcome.next_page),
                "rule_use": as_json(outcome.rule_use),
            }
            return Frame(header, html + outcome.text.text.encode())


def parse_outcome(frame: Frame) -> Article | ExtractFailed:
    """What the worker program answered; `FrameError` if it could not have said that."""
    try:
        return parse_failure(frame) if "code" in frame.header else parse_article(frame)
    except (KeyError, TypeError, ValueError) as error:  # pydantic's errors are ValueErrors
        raise FrameError(f"an answer that makes no sense: {error}") from None


def parse_failure(frame: Frame) -> ExtractFailed:
    failure: ExtractFailed = checks_of(ExtractFailed).validate_python(frame.header)
    return failure


def parse_article(frame: Frame) -> Article:
    header = frame.header
    end = int(header["html_bytes"])
    html = SafeHtml.admit(frame.body[:end].decode())
    if html is None:
        raise ValueError("the article is not sanitised")
    return Article(
        **{name: checks_of(str | None).validate_python(header[name]) for name in _TEXT_FIELDS},
        word_count=int(header["word_count"]),
        html=html,
        text=CanonicalText(frame.body[end:].decode(), int(header["text_version"])),
        images=checks_of(tuple[ImageRef, ...]).validate_python(header["images"]),
        metadata=checks_of(PageMetadata).validate_python(header["metadata"]),
        next_page=checks_of(NextPage | None).validate_python(header["next_page"]),
        rule_use=checks_of(RuleUse | None).validate_python(header["rule_use"]),
    )


@cache
def checks_of(kind: Any) -> "TypeAdapter[Any]":
    """Made when first needed, in the worker: its child starts without pydantic."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


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
