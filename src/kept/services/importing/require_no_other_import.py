"""Refuse a second import of one user at a time: a worker has other things to do too."""

from uuid import UUID

from kept.domain.errors import Conflict
from kept.domain.importing import AT_WORK
from kept.storage import imports, users
from kept.storage.database.engine import Connection


def require_no_other_import(tx: Connection, user_id: UUID, *, besides: UUID | None = None, lock: bool = True) -> None:
    """With `lock`, in the transaction that begins one: of two that begin at the same moment, the second is refused."""
    if lock:
        users.lock_user(tx, user_id)
    running = (found.id for found in imports.list_with_file(tx, user_id) if found.state in AT_WORK)
    if any(import_id != besides for import_id in running):
        raise Conflict("Another import of yours is running. Wait for it, or cancel it.")
