"""The database schema as this version of Kept sees it: which state it is in, and why it cannot be used."""

from enum import Enum

from kept.domain.errors import OperatorError


class SchemaState(Enum):
    EMPTY = "empty"
    OLDER = "older"
    CURRENT = "current"
    NEWER = "newer"


class SchemaMismatch(OperatorError):
    """The database does not fit this version of Kept."""

    def __init__(self) -> None:
        super().__init__(type(self).__doc__)


class SchemaTooNew(SchemaMismatch):
    """The database was written by a newer Kept; upgrade Kept or restore a backup."""


class SchemaTooOld(SchemaMismatch):
    """The database is older than this Kept; run `kept migrate`, or allow it with KEPT_AUTO_MIGRATE=true."""
