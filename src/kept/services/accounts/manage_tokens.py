"""A user's own API tokens: make, list, revoke."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Scope, Viewer, parse_display_name
from kept.domain.errors import Forbidden, InvalidRequest, NotFound
from kept.ids import new_id
from kept.services.accounts.secrets import hash_secret, new_api_token
from kept.storage import users
from kept.storage.database.engine import Database
from kept.storage.users import ApiToken


async def create_token(
    database: Database, viewer: Viewer, *, name: str, scopes: frozenset[Scope], now: datetime
) -> tuple[ApiToken, str]:
    """The token itself is returned once and never again. Nobody can make one that reaches further than they do."""
    if not scopes:
        raise InvalidRequest(f"A token needs at least one scope of {', '.join(Scope)}.")
    if not all(viewer.may(scope) for scope in scopes):
        raise Forbidden("You cannot make a token that may do more than you.")
    token = ApiToken(new_id(), parse_display_name(name, "A token's name"), scopes, now, None)
    secret = new_api_token()
    async with database.write() as tx:
        await users.insert_token(tx, viewer.user_id, token, hash_secret(secret))
    return token, secret


async def list_tokens(database: Database, viewer: Viewer) -> list[ApiToken]:
    async with database.read() as tx:
        return await users.list_tokens(tx, viewer.user_id)


async def revoke_token(database: Database, viewer: Viewer, token_id: UUID) -> None:
    async with database.write() as tx:
        if not await users.delete_token(tx, viewer.user_id, token_id):
            raise NotFound
