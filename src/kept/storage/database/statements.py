"""Names for what SQLAlchemy's types leave open: a query's rows are typed where they become our own values."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from sqlalchemy import BindParameter, ColumnElement, CompoundSelect, Select

Query: TypeAlias = Select[*tuple[Any, ...]]
UnionQuery: TypeAlias = CompoundSelect[*tuple[Any, ...]]
Expression: TypeAlias = ColumnElement[Any]
Parameter: TypeAlias = BindParameter[Any]
Columns: TypeAlias = Sequence[Any]
"""One row, by position."""
