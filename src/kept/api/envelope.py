"""The shape of every answer: `{"data": …}`, or `{"error": {"code", "message", "request_id"}}`."""

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, field_validator

T = TypeVar("T")


class ApiModel(BaseModel):
    """A value in an answer; read from domain values by attribute."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


class RequestModel(BaseModel):
    """A request's body. Unknown fields are refused: a misspelt one would be lost in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="after")
    @classmethod
    def refuse_nul(cls, value: Any) -> Any:
        """PostgreSQL cannot store it, and nobody means it."""
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and "\x00" in text for text in texts):
            raise ValueError("must not contain NUL characters")
        return value


class Data(BaseModel, Generic[T]):
    data: T


class ErrorBody(ApiModel):
    code: str
    message: str
    request_id: str


class ErrorEnvelope(ApiModel):
    error: ErrorBody


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error answers a route documents, besides those every route has (see `openapi`)."""
    return {status: {"model": ErrorEnvelope} for status in statuses}
