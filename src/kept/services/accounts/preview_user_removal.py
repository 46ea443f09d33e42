"""What would happen if a user were removed, for the question before it."""

from kept.domain.account import User, require_another_administrator
from kept.services.accounts.plan_user_removal import UserRemoval, plan_user_removal
from kept.storage import users
from kept.storage.database.engine import Connection


def preview_user_removal(tx: Connection, user: User) -> UserRemoval:
    """Conflict where it may not be done."""
    require_another_administrator(users.list_users(tx), leaving=user)
    return plan_user_removal(tx, user)
