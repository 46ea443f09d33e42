"""What is wrong with a value that somebody sent or set, in plain English: our words for pydantic's errors."""

from collections.abc import Mapping
from typing import Any, Final

# No text contains a value that the caller chose; a limit, if there is one, is part of the text.
TEXTS: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "extra_forbidden": "there is no such field",
    "unexpected_keyword_argument": "there is no such field",
    "string_type": "must be text",
    "string_unicode": "must be text in valid Unicode",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be {le} or less",
    "enum": "must be {expected}",
    "literal_error": "must be {expected}",
    "timezone_aware": "must have a time zone, as in 2026-01-31T12:00:00Z",
    "list_type": "must be a list",
    "json_invalid": "is not valid JSON",
}
# Texts by the beginning of the error's type, for types that differ only in how far pydantic got.
TEXTS_BY_FAMILY: Final[Mapping[str, str]] = {
    "int_": "must be a whole number",
    "float_": "must be a number",
    "finite_number": "must be a number",
    "bool_": "must be true or false",
    "uuid_": "is not a valid id",
    "datetime_": "must be a time, as in 2026-01-31T12:00:00Z",
    "date_": "must be a day, as in 2026-01-31",
    "ip_": "must be a network, as in 10.0.0.0/8",
    "path_": "must be a path",
    "url_": "is not a valid URL",
    "tuple_": "must be a list",
    "set_": "must be a list",
    "frozen_set_": "must be a list",
    "model_": "must be an object with named fields",
    "dict_": "must be an object with named fields",
}
OWN_TEXTS: Final = frozenset({"value_error", "assertion_error"})
OTHERWISE: Final = "is not valid"


def explain_fault(fault: Mapping[str, Any]) -> str:
    """Say what is wrong, to follow the name of the field: "must be 100 or less". `fault` is an error of pydantic's."""
    kind = str(fault["type"])
    if kind in OWN_TEXTS:  # raised by a validator of ours
        return str(fault["msg"]).partition(", ")[2]
    if is_empty_text(fault):
        return "must not be empty"
    family = (text for start, text in TEXTS_BY_FAMILY.items() if kind.startswith(start))
    return (TEXTS.get(kind) or next(family, OTHERWISE)).format_map(fault.get("ctx") or {})


def is_empty_text(fault: Mapping[str, Any]) -> bool:
    return bool(fault["type"] == "string_too_short" and fault["ctx"]["min_length"] == 1)
