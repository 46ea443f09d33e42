"""Remove a user with all that is theirs alone. Shared libraries with other members stay and get another owner.

The pages themselves belong to everybody who saved them: those that nobody else has are left to the clean-up.
"""

from collections.abc import Sequence
from datetime import datetime

from kept.domain.account import User, require_another_administrator
from kept.domain.library import Role
from kept.services.accounts.plan_user_removal import Handover, UserRemoval, plan_user_removal
from kept.storage import imports, libraries, users
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Connection, Database


async def remove_user(database: Database, blobs: BlobStore, user: User, *, now: datetime) -> UserRemoval:
    """What was done. Files they uploaded for imports go too."""
    removal, uploads = await database.write(_remove, user, now)
    for key in uploads:
        await blobs.delete(key)
    return removal


def _remove(tx: Connection, user: User, now: datetime) -> tuple[UserRemoval, Sequence[str]]:
    users.lock_administrators(tx)  # of two that are removed at once, one must stay
    require_another_administrator(users.list_users(tx), leaving=user)
    for library, _ in libraries.list_libraries(tx, user.id):
        libraries.lock_library(tx, library.id)
    removal, uploads = plan_user_removal(tx, user), imports.list_blob_keys(tx, user.id)
    for handover in removal.handovers:
        _hand_over(tx, handover, now)
    for library in removal.deleted:
        libraries.delete_library(tx, library.id)
    users.delete_user(tx, user.id)
    return removal, uploads


def _hand_over(tx: Connection, handover: Handover, now: datetime) -> None:
    library, successor = handover.library, handover.successor
    libraries.change_owner(tx, library.id, successor.user_id, now)
    libraries.update_member_role(tx, library.id, successor.user_id, Role.ADMIN)
