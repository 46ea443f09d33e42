"""The first items of several libraries: those of each are found by its own index, so that a list of a hundred thousand
items is never sorted to show thirty."""

import json
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Uuid, column, func, literal, select, true, type_coerce

from kept.storage.database.engine import Connection
from kept.storage.database.statements import Query
from kept.storage.tables import items

LIBRARY: Final = "library"


def first_of_each(tx: Connection, library_ids: Sequence[UUID], query: Query) -> Any:
    """The ids that `query`, ordered and limited, selects in each of the libraries; it says nothing of the library."""
    return (of_each_sqlite if tx.dialect.name == "sqlite" else of_each_postgresql)(library_ids, query)


def of_each_postgresql(library_ids: Sequence[UUID], query: Query) -> Any:
    from sqlalchemy.dialects.postgresql import ARRAY  # only where it is spoken

    listed = func.unnest(literal(list(library_ids), ARRAY(Uuid())))
    libraries = listed.table_valued(column("id", Uuid()), name=LIBRARY).render_derived()
    found = query.where(items.c.library_id == libraries.c.id).correlate(libraries).lateral("found")
    return select(found.c.id).select_from(libraries.join(found, true()))


def of_each_sqlite(library_ids: Sequence[UUID], query: Query) -> Any:
    """SQLite has no lateral joins, but a function of a table may take a subquery of another."""
    listed = json.dumps([library_id.hex for library_id in library_ids])
    libraries = func.json_each(listed).table_valued("value", name=LIBRARY)
    is_there: ColumnElement[bool] = items.c.library_id == type_coerce(libraries.c.value, Uuid())
    found = query.where(is_there).correlate(libraries).subquery("found")
    gathered = select(func.json_group_array(found.c.id)).correlate(libraries).scalar_subquery()
    each = func.json_each(gathered).table_valued("value", name="each")
    return select(type_coerce(each.c.value, Uuid())).select_from(libraries.join(each, true()))
