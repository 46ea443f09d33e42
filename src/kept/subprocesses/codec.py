"""Values as frames, and back: what parent and child say to each other, without pickle.

Out by `as_json`, since importing pydantic would take a third of a child's start. In by pydantic's `TypeAdapter`: what a
child answers was made beside hostile bytes, so each value is checked again on arrival. Markup that comes in is admitted
by `admit_html`, and nowhere else here.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, make_dataclass
from datetime import datetime
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_type_hints
from uuid import UUID

from kept.subprocesses.frames import Frame, FrameError, Header

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from kept.content.article.article import Article, JoinedText
    from kept.content.article.safe_html import SafeHtml

T = TypeVar("T")
Written = TypeVar("Written", "Article", "JoinedText")

# Where the answer to any request holds what went wrong instead.
FAILED: Final = "failed"


def as_json(value: object) -> object:
    """The value as JSON has it."""
    match value:
        case None | str() | int():  # first, since most are
            return value
        case UUID():
            return str(value)
        case datetime():
            return value.isoformat()
        case tuple() | list():
            return [as_json(one) for one in value]
        case _ if is_dataclass(value):
            return encode_fields(value)
        case _:
            return value


def encode_fields(value: Any, *raw: str) -> dict[str, object]:
    """The fields of a dataclass as JSON, but for those that travel otherwise."""
    kind: Any = type(value)
    return {name: as_json(getattr(value, name)) for name in get_field_names(kind) if name not in raw}


@cache
def get_field_names(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def encode_failure(failure: object) -> Frame:
    return Frame({FAILED: as_json(failure)})


def encode_bytes(data: bytes | None) -> Frame:
    return Frame({"found": data is not None}, data or b"")


def checked(parse: Callable[[Frame], T]) -> Callable[[Frame], T]:
    """Has `parse` raise `FrameError` for whatever a child of ours could not have said."""

    @wraps(parse)
    def parse_checked(frame: Frame) -> T:
        try:
            return parse(frame)
        except (KeyError, TypeError, ValueError) as error:  # pydantic's errors are ValueErrors
            raise FrameError(f"an answer that makes no sense: {error}") from None

    return parse_checked


def parse_as(kind: Any, value: object) -> Any:
    """The value as one of this type; ValueError if it is none."""
    return get_adapter(kind).validate_python(value)


def parse_fields(kind: type[T], said: Header, **raw: object) -> T:
    """The dataclass of which `encode_fields` wrote the fields; `raw` are those that travelled otherwise."""
    known: Any = kind
    return kind(**raw, **vars(get_fields_adapter(known, frozenset(raw)).validate_python(said)))


def parse_bytes(frame: Frame) -> bytes | None:
    return frame.body if frame.header.get("found") is True else None


@cache
def get_adapter(kind: Any) -> "TypeAdapter[Any]":
    """Made once, which takes milliseconds, and only where answers are read: see above."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


@cache
def get_fields_adapter(kind: Any, raw: frozenset[str]) -> "TypeAdapter[Any]":
    """Of all fields of the dataclass together but the raw ones, of which pydantic need not know the types."""
    types = [(name, one) for name, one in get_type_hints(kind).items() if name not in raw]
    return get_adapter(make_dataclass(kind.__name__, types))


# --- articles: markup and text are the body ---------------------------------------------------------------------------


def encode_written(value: "Article | JoinedText") -> Frame:
    html = str(value.html).encode()
    header = {**encode_fields(value, "html", "text"), "html_bytes": len(html), "text_version": value.text.version}
    return Frame(header, html + value.text.text.encode())


def parse_written(kind: type[Written], frame: Frame) -> Written:
    from kept.content.article.canonical import CanonicalText  # which takes 17 ms: cards do without

    end = int(frame.header["html_bytes"])
    text = CanonicalText(frame.body[end:].decode(), int(frame.header["text_version"]))
    return parse_fields(kind, frame.header, html=admit_html(frame.body[:end]), text=text)


def admit_html(markup: bytes) -> "SafeHtml":
    """Markup from the other end of a pipe; ValueError if `sanitise` cannot have written it."""
    from kept.content.article.safe_html import SafeHtml

    html = SafeHtml.admit(markup.decode())
    if html is None:
        raise ValueError("the markup is not sanitised")
    return html
