"""Short-lived tokens of apps, derived from an API token."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

from kept.domain.account import TOKEN_PREFIX, AppTokenKind, AppTokens, Viewer, is_due_for_touch
from kept.domain.errors import RateLimited
from kept.services.accounts.secrets import hash_secret, new_secret
from kept.services.requests.limits import RateLimits
from kept.storage import tokens, users
from kept.storage.database.engine import Connection, Database
from kept.storage.tokens import HashedTokens

T = TypeVar("T")
RETRY_SECONDS: Final = 60


async def authenticate_app(database: Database, secret: str, *, now: datetime) -> Viewer | None:
    """Turn what an app sends with each request into the viewer behind it: an API token, or one made from it."""
    if secret.startswith(TOKEN_PREFIX):
        found = await database.read(users.find_token, hash_secret(secret))
    else:
        found = await database.read(tokens.find_app_token, hash_secret(secret), AppTokenKind.ACCESS, now)
    if found is None:
        return None
    if is_due_for_touch(found.last_seen_at, now):
        await database.write(users.touch_token, found.credential_id, now)
    return found.viewer


async def issue_app_tokens(
    database: Database, *, api_token: str | None = None, refresh_token: str | None = None, now: datetime
) -> AppTokens | None:
    """Give an app short-lived tokens for an API token, or for a refresh token it got before.

    None where neither is good. The tokens are returned once and never again; they end with the API token.
    """
    made = AppTokens(new_secret(), new_secret())
    is_good = await database.write(_issue, api_token, refresh_token, made, now)
    return made if is_good else None


def _issue(tx: Connection, api_token: str | None, refresh_token: str | None, made: AppTokens, now: datetime) -> bool:
    api_token_id = _find_token(tx, api_token) or _find_refreshed(tx, refresh_token, now)
    if api_token_id is None:
        return False
    tokens.insert_tokens(tx, api_token_id, HashedTokens(hash_secret(made.access), hash_secret(made.refresh)), now)
    users.touch_token(tx, api_token_id, now)
    return True


def _find_token(tx: Connection, token: str | None) -> UUID | None:
    found = users.find_token(tx, hash_secret(token)) if token and token.startswith(TOKEN_PREFIX) else None
    return found.credential_id if found else None


def _find_refreshed(tx: Connection, token: str | None, now: datetime) -> UUID | None:
    """It stays good until it ends: an app that did not get the answer asks again with the same one."""
    found = tokens.find_app_token(tx, hash_secret(token), AppTokenKind.REFRESH, now) if token else None
    return found.credential_id if found else None


async def limit_app_sign_in(limits: RateLimits, address: str, attempt: Callable[[], Awaitable[T | None]]) -> T | None:
    """Slow down whoever guesses tokens, without limiting apps that sign in with good ones as often as they like.

    Only failures count, for each address; after too many of them nothing is looked at for a while.
    """
    if await limits.is_exhausted("login", "app", address):
        raise RateLimited(RETRY_SECONDS)
    found = await attempt()
    if found is None:
        await limits.require("login", "app", address)
    return found
