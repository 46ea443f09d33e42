"""Values as frames, and back: what parent and child say to each other, without pickle.

`as_json` encodes, since importing pydantic would take a third of a child's start. Pydantic's `TypeAdapter` parses: a
child answers beside hostile bytes, so each value is checked again on arrival. Only `admit_html` admits markup here.
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

# The key under which an answer to any request says what went wrong.
FAILED: Final = "failed"


def as_json(value: object) -> object:
    """Return the value as JSON has it."""
    match value:
        case None | str() | int():  # first, since most values are these
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
    """Return the fields of a dataclass as JSON, except for `raw` ones, which are sent otherwise."""
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
    """Make `parse` raise `FrameError` for an answer that no child of ours could have given."""

    @wraps(parse)
    def parse_checked(frame: Frame) -> T:
        try:
            return parse(frame)
        except (KeyError, TypeError, ValueError) as error:  # pydantic's errors are ValueErrors
            raise FrameError(f"an answer that makes no sense: {error}") from None

    return parse_checked


def parse_as(kind: Any, value: object) -> Any:
    """Return the value as this type; ValueError if it is not of this type."""
    return get_adapter(kind).validate_python(value)


def parse_fields(kind: type[T], said: Header, **raw: object) -> T:
    """Return the dataclass whose fields `encode_fields` wrote; `raw` are those that were sent otherwise."""
    known: Any = kind
    return kind(**raw, **vars(get_fields_adapter(known, frozenset(raw)).validate_python(said)))


def parse_bytes(frame: Frame) -> bytes | None:
    return frame.body if frame.header.get("found") is True else None


@cache
def get_adapter(kind: Any) -> "TypeAdapter[Any]":
    """Make an adapter once, which takes milliseconds, and only in processes that read answers."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


@cache
def get_fields_adapter(kind: Any, raw: frozenset[str]) -> "TypeAdapter[Any]":
    """Return an adapter for all fields but the raw ones, whose types pydantic need not know."""
    types = [(name, one) for name, one in get_type_hints(kind).items() if name not in raw]
    return get_adapter(make_dataclass(kind.__name__, types))


# --- articles: markup and text are the body ---------------------------------------------------------------------------


def encode_written(value: "Article | JoinedText") -> Frame:
    html = str(value.html).encode()
    header = {**encode_fields(value, "html", "text"), "html_bytes": len(html), "text_version": value.text.version}
    return Frame(header, html + value.text.text.encode())


def parse_written(kind: type[Written], frame: Frame) -> Written:
    from kept.content.article.canonical import CanonicalText  # takes 17 ms, and cards do not need it

    end = int(frame.header["html_bytes"])
    text = CanonicalText(frame.body[end:].decode(), int(frame.header["text_version"]))
    return parse_fields(kind, frame.header, html=admit_html(frame.body[:end]), text=text)


def admit_html(markup: bytes) -> "SafeHtml":
    """Return markup from the other end of a pipe; ValueError if `sanitise` cannot have written it."""
    from kept.content.article.safe_html import SafeHtml

    html = SafeHtml.admit(markup.decode())
    if html is None:
        raise ValueError("the markup is not sanitised")
    return html
