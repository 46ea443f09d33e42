"""The envelope of every response: `{"data": …}`, or `{"error": {"code", "message", "request_id"}}`."""

from collections.abc import Iterable
from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, field_validator

from kept.urls.given import NOTICES, UrlNotice

T = TypeVar("T")
Responses = dict[int | str, dict[str, Any]]  # as FastAPI documents them


class ApiModel(BaseModel):
    """A value in a response, made from the attributes of a domain value."""

    model_config = ConfigDict(from_attributes=True, frozen=True)

    @classmethod
    def of(cls, value: object, **more: object) -> Self:
        """Make the model from the attributes of `value` and from `more`."""
        own = {name: getattr(value, name) for name in cls.model_fields if name not in more and hasattr(value, name)}
        return cls.model_validate({**own, **more})


class RequestModel(BaseModel):
    """A request's body. Unknown fields are refused, so that a misspelt one is not ignored silently."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="after")
    @classmethod
    def refuse_unstorable(cls, value: T) -> T:
        """Refuse NUL characters, which PostgreSQL cannot store, and half characters (`"\\ud800"`), as nothing can."""
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and "\x00" in text:
                raise ValueError("must not contain NUL characters")
            if isinstance(text, str) and not is_whole(text):
                raise ValueError("must be text in valid Unicode")
        return value


def is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class Data(BaseModel, Generic[T]):
    data: T


class NoticeOut(ApiModel):
    """What the user should know about a request that succeeded."""

    code: str
    message: str


class DataWithNotices(Data[T], Generic[T]):
    notices: list[NoticeOut]


class ErrorBody(ApiModel):
    code: str
    message: str
    request_id: str


class ErrorEnvelope(ApiModel):
    error: ErrorBody


def errors(*statuses: int) -> Responses:
    """Return the error responses that a route documents besides those every route has (see `openapi`)."""
    return {status: {"model": ErrorEnvelope} for status in statuses}


def notices_out(notices: Iterable[UrlNotice]) -> list[NoticeOut]:
    return [NoticeOut(code=notice, message=NOTICES[notice]) for notice in notices]
