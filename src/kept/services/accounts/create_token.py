"""Create an API token."""

from datetime import datetime

from kept.domain.account import TOKEN_PREFIX, ApiToken, Scope, Viewer, parse_display_name
from kept.domain.errors import Forbidden, InvalidRequest
from kept.ids import new_id
from kept.services.accounts.hash_secret import hash_secret
from kept.services.accounts.new_secret import new_secret
from kept.storage import users
from kept.storage.database.engine import Database


async def create_token(
    database: Database, viewer: Viewer, *, name: str, scopes: frozenset[Scope], now: datetime
) -> tuple[ApiToken, str]:
    """The token itself is returned once and never again. Nobody can make one that reaches further than they do."""
    if not scopes:
        raise InvalidRequest(f"A token needs at least one scope of {', '.join(Scope)}.")
    if not all(viewer.may(scope) for scope in scopes):
        raise Forbidden("You cannot make a token that may do more than you.")
    token = ApiToken(new_id(), parse_display_name(name, "A token's name"), scopes, now, None)
    secret = TOKEN_PREFIX + new_secret()
    await database.write(users.insert_token, viewer.user_id, token, hash_secret(secret))
    return token, secret
