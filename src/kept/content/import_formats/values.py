"""Single values as the tools write them: moments, flags, lists of tags. Odd ones become None, never an error."""

import ast
import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from kept.domain.highlight import DEFAULT_COLOUR, Colour
from kept.domain.json import JsonObject, JsonValue

# Seconds, milliseconds (some extensions) and microseconds (Firefox's own clock), told apart by their size.
MILLISECONDS_FROM: Final = 100_000_000_000
MICROSECONDS_FROM: Final = 100_000_000_000_000
LONGEST_MOMENT: Final = 100
NUMBER: Final = re.compile(r"\d{1,19}(?:\.\d{1,9})?")
OFFSET_WITHOUT_COLON: Final = re.compile(r"([+-]\d{2})(\d{2})$")
LONG_FRACTION: Final = re.compile(r"(\.\d{6})\d+")
TRUE: Final = frozenset({"true", "1", "yes", "y", "t"})
# Colours of highlights that Kept lacks, each with the one most like it.
LIKE: Final = {
    "pink": Colour.RED,
    "magenta": Colour.RED,
    "purple": Colour.BLUE,
    "indigo": Colour.BLUE,
    "cyan": Colour.BLUE,
    "teal": Colour.GREEN,
    "lime": Colour.GREEN,
}
DEEPEST: Final = 64
FolderId = str | int


def parse_moment(value: object) -> datetime | None:
    """Parse a count since 1970, or a form of ISO 8601; without a zone it is UTC."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    text = str(value)[:LONGEST_MOMENT].strip()
    if NUMBER.fullmatch(text):
        return parse_count(float(text))
    return parse_written(text)


def parse_count(count: float) -> datetime | None:
    if count <= 0:
        return None
    if count >= MICROSECONDS_FROM:
        count /= 1_000_000
    elif count >= MILLISECONDS_FROM:
        count /= 1_000
    try:
        return datetime.fromtimestamp(count, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def parse_written(text: str) -> datetime | None:
    text = OFFSET_WITHOUT_COLON.sub(r"\1:\2", LONG_FRACTION.sub(r"\1", text))
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def is_true(value: object) -> bool:
    return value is True or (isinstance(value, (str, int)) and str(value).strip().lower() in TRUE)


def text_of(value: object) -> str | None:
    """Return a text that says something; None for empty texts, numbers and other things."""
    return value.strip() or None if isinstance(value, str) else None


def list_of(value: object) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def object_of(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}


def objects_of(value: object) -> list[JsonObject]:
    return [one for one in list_of(value) if isinstance(one, dict)]


def split_tags(text: str, separator: str) -> tuple[str, ...]:
    return tuple(tag.strip() for tag in text.split(separator) if tag.strip())


def parse_json_list(text: str) -> tuple[str, ...] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return names_of(found) if isinstance(found, list) else None


def parse_quoted_list(text: str) -> tuple[str, ...]:
    """Parse a list as Python prints it, with quotes of either kind."""
    try:
        found = ast.literal_eval(text) if len(text) < 10_000 else ()
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return split_tags(text.strip("[]"), ",")
    return names_of(found) if isinstance(found, (list, tuple)) else ()


def names_of(values: object, *keys: str) -> tuple[str, ...]:
    """Return the texts of a list; of its objects, the value under the first of `keys` they have."""
    found = values if isinstance(values, Iterable) and not isinstance(values, (str, dict)) else ()
    return tuple(name for value in found if (name := name_of(value, keys)))


def name_of(value: object, keys: tuple[str, ...]) -> str:
    if isinstance(value, dict):
        value = next((value[key] for key in keys if isinstance(value.get(key), str)), "")
    return value.strip() if isinstance(value, str) else ""


def parse_share(value: object, *, of: float = 1.0) -> float:
    try:
        share = float(str(value)) / of if isinstance(value, (str, int, float)) else 0.0
    except ValueError:
        return 0.0
    return min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0


def path_of(text: str, separator: str = "/") -> tuple[tuple[str, ...], ...]:
    """Return a list of one folder path, or an empty one."""
    path = split_tags(text, separator)
    return (path,) if path else ()


def parse_colour(value: object) -> Colour:
    """Parse the colour of a highlight; an unknown one becomes the default."""
    name = value.strip().lower() if isinstance(value, str) else ""
    return Colour(name) if name in set(Colour) else LIKE.get(name, DEFAULT_COLOUR)


def parse_number(value: object, last: int) -> int | None:
    """Return a number that apps use, from 1 to the last that was assigned; None for any other value."""
    return value if type(value) is int and 0 < value <= last else None


def parse_position(value: object) -> int | None:
    """Parse a position in a text, counted from its beginning: a number, or its digits."""
    text = str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    return int(text) if len(text) < 10 and text.isascii() and text.isdigit() else None


def build_paths(folders: Iterable[JsonObject]) -> dict[FolderId, tuple[str, ...]]:
    """Return the paths of folders that name their parent, from the outermost in, by id.

    A folder whose parent is missing is an outermost one; a circle ends where it began.
    """
    by_id = {key: folder for folder in folders if isinstance(key := folder.get("id"), (str, int))}
    return {key: path_to(key, by_id) for key in by_id}


def find_path(paths: Mapping[FolderId, tuple[str, ...]], key: JsonValue) -> tuple[str, ...]:
    return paths.get(key, ()) if isinstance(key, (str, int)) else ()


def path_to(key: JsonValue, by_id: Mapping[FolderId, JsonObject]) -> tuple[str, ...]:
    path: list[str] = []
    seen: set[FolderId] = set()
    while isinstance(key, (str, int)) and key in by_id and key not in seen and len(seen) < DEEPEST:
        seen.add(key)
        name = by_id[key].get("name")
        if isinstance(name, str) and name.strip():
            path.append(name.strip())
        key = by_id[key].get("parentId")
    return tuple(reversed(path))
