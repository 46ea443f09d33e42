"""Names for what SQLAlchemy's types leave open: a query's rows are typed where they become our own values."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from sqlalchemy import Select

Query: TypeAlias = Select[*tuple[Any, ...]]
Columns: TypeAlias = Sequence[Any]
"""One row, by position."""
