"""What would happen if a user were removed, for the question before it."""

from kept.domain.account import User, require_another_administrator
from kept.services.accounts.plan_user_removal import UserRemoval, plan_user_removal
from kept.storage import users
from kept.storage.database.engine import Connection, Database


async def preview_user_removal(database: Database, user: User) -> UserRemoval:
    """Conflict where it may not be done."""
    return await database.read(_preview, user)


def _preview(tx: Connection, user: User) -> UserRemoval:
    require_another_administrator(users.list_users(tx), leaving=user)
    return plan_user_removal(tx, user)
