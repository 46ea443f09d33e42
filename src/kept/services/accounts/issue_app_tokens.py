"""Give an app short-lived tokens for an API token, or for a refresh token it got before."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import TOKEN_PREFIX
from kept.domain.app_token import AppTokenKind, AppTokens
from kept.services.accounts.hash_secret import hash_secret
from kept.services.accounts.new_secret import new_secret
from kept.storage import app_tokens, users
from kept.storage.app_tokens import HashedTokens
from kept.storage.database.engine import Connection, Database


async def issue_app_tokens(
    database: Database, *, api_token: str | None = None, refresh_token: str | None = None, now: datetime
) -> AppTokens | None:
    """None where neither is good. The tokens are returned once and never again; they end with the API token."""
    made = AppTokens(new_secret(), new_secret())
    is_good = await database.write(_issue, api_token, refresh_token, made, now)
    return made if is_good else None


def _issue(tx: Connection, api_token: str | None, refresh_token: str | None, made: AppTokens, now: datetime) -> bool:
    api_token_id = _find_token(tx, api_token) or _find_refreshed(tx, refresh_token, now)
    if api_token_id is None:
        return False
    app_tokens.insert_tokens(tx, api_token_id, HashedTokens(hash_secret(made.access), hash_secret(made.refresh)), now)
    users.touch_token(tx, api_token_id, now)
    return True


def _find_token(tx: Connection, token: str | None) -> UUID | None:
    found = users.find_token(tx, hash_secret(token)) if token and token.startswith(TOKEN_PREFIX) else None
    return found.credential_id if found else None


def _find_refreshed(tx: Connection, token: str | None, now: datetime) -> UUID | None:
    """It stays good until it ends: an app that did not get the answer asks again with the same one."""
    found = app_tokens.find_app_token(tx, hash_secret(token), AppTokenKind.REFRESH, now) if token else None
    return found.credential_id if found else None
