"""What a client of another program sends, in whatever form: query, JSON, or a form of either kind."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import Depends, Request
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from kept.domain.errors import BodyUnreadable, InvalidRequest
from kept.domain.imported import storable
from kept.domain.json import JsonObject

TRUE: Final = frozenset({"1", "true", "on", "yes"})
FALSE: Final = frozenset({"0", "false", "off", "no", ""})
FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
# Counters of other programs stay far below this.
MAX_INTEGER: Final = 2**53
MAX_DIGITS: Final = 20


@dataclass(frozen=True, slots=True)
class Fields:
    """The values as they were sent: texts, numbers and lists, also named `urls[]`; a repeated name has several."""

    values: Mapping[str, list[object]]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def find(self, name: str) -> object:
        return self.values[name][-1] if self.values.get(name) else None

    def text(self, name: str) -> str | None:
        """Return a text or number as text, without what cannot be stored; None if there is none."""
        value = self.find(name)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        return storable(str(value))

    def get_url(self) -> str:
        url = (self.text("url") or "").strip()
        if not url:
            raise InvalidRequest("The URL is missing.")
        return url

    def flag(self, name: str) -> bool | None:
        """Return None if the field is missing, or is neither yes nor no."""
        value = self.find(name)
        if isinstance(value, bool | int | float):
            return bool(value)
        return parse_flag(value) if isinstance(value, str) else None

    def integer(self, name: str) -> int | None:
        value = self.find(name)
        if isinstance(value, bool):
            return None
        if isinstance(value, float):
            value = int(value) if math.isfinite(value) else None
        if isinstance(value, str):
            value = parse_integer(value.strip())
        return max(-MAX_INTEGER, min(value, MAX_INTEGER)) if isinstance(value, int) else None

    def texts(self, name: str) -> list[str]:
        """Return the texts of a JSON list, a repeated field, or one text."""
        every = [*self.values.get(name, ()), *self.values.get(f"{name}[]", ())]
        return [storable(text) for value in every for text in texts_in(value)]

    def words(self, name: str) -> list[str]:
        """Return the words of all texts of a field, which may each have several between commas."""
        return [word.strip() for text in self.texts(name) for word in text.split(",") if word.strip()]

    def moment(self, name: str) -> datetime | None:
        """Parse seconds since 1970, or ISO 8601."""
        value = self.find(name)
        seconds = self.integer(name)
        try:
            if seconds is not None:
                return datetime.fromtimestamp(seconds, UTC)
            if not isinstance(value, str) or not value.strip():
                return None
            # in a query, the plus of a time zone is a space unless it was escaped
            parsed = datetime.fromisoformat(value.strip().replace(" ", "+"))
            return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError, OSError):
            return None

    def file(self, name: str) -> UploadFile | None:
        value = self.find(name)
        return value if isinstance(value, UploadFile) else None


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (one for one in value if isinstance(one, str))


def parse_flag(text: str) -> bool | None:
    word = text.strip().lower()
    return True if word in TRUE else False if word in FALSE else None


def parse_integer(text: str) -> int | None:
    """Return None if it is no number; a number that is too long is cut, and is then still too large."""
    digits = text.removeprefix("-")
    return int(text[:MAX_DIGITS]) if digits.isascii() and digits.isdecimal() else None


async def read_fields(request: Request) -> Fields:
    """Read the fields of the body and of the query; those of the body take precedence."""
    values: dict[str, list[object]] = {}
    for name, text in request.query_params.multi_items():
        values.setdefault(name, []).append(text)
    return Fields(values | await read_body(request))


async def read_body(request: Request) -> dict[str, list[object]]:
    if is_form(request):
        return group_form(await read_form(request))
    return {name: [value] for name, value in (await read_json_object(request)).items()}


def is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() in FORMS


async def read_form(request: Request, *, max_files: int = 1000, max_fields: int = 1000) -> FormData:
    try:
        return await request.form(max_files=max_files, max_fields=max_fields)
    except HTTPException:
        raise BodyUnreadable from None


async def read_json_object(request: Request) -> JsonObject:
    body = await request.body()
    if not body.strip():
        return {}
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        raise BodyUnreadable from None
    if not isinstance(said, dict):
        raise InvalidRequest("The body must be a JSON object.")
    return said


def group_form(form: FormData) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for name, value in form.multi_items():
        found.setdefault(name, []).append(value)
    return found


FieldsDep = Annotated[Fields, Depends(read_fields)]
