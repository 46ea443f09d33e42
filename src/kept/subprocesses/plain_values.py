"""Values as JSON has them, for frames that a child writes. Not by pydantic, whose import takes a third of its start."""

from dataclasses import fields, is_dataclass
from datetime import datetime
from uuid import UUID


def as_json(value: object) -> object:
    match value:
        case UUID():
            return str(value)
        case datetime():
            return value.isoformat()
        case tuple() | list():
            return [as_json(one) for one in value]
        case _ if is_dataclass(value):
            return {one.name: as_json(getattr(value, one.name)) for one in fields(value)}
        case _:
            return value
