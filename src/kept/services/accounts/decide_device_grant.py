"""A person lets a device in, or does not."""

from kept.domain.account import Viewer
from kept.domain.errors import Conflict, Forbidden
from kept.domain.oauth import Grant, GrantState
from kept.storage import oauth
from kept.storage.database.engine import Database


async def decide_device_grant(database: Database, viewer: Viewer, grant: Grant, *, is_approved: bool) -> None:
    """Nobody gives away more than they may do themselves."""
    if not all(viewer.may(scope) for scope in grant.scopes):
        raise Forbidden("You cannot allow an app more than you may do yourself.")
    state = GrantState.APPROVED if is_approved else GrantState.DENIED
    if not await database.write(oauth.decide_grant, grant.id, state, viewer.user_id):
        raise Conflict("This code was used already.")
