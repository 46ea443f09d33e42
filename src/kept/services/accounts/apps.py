"""Short-lived tokens of apps, derived from an API token."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final, TypeVar

from kept.domain.account import AppTokens, TokenKind
from kept.domain.errors import RateLimited
from kept.services.accounts.secrets import hash_secret, new_secret
from kept.services.accounts.tokens import find_valid_token
from kept.services.requests.limits import RateLimits
from kept.storage import tokens, users
from kept.storage.database.engine import Connection
from kept.storage.tokens import HashedTokens

T = TypeVar("T")
RETRY_SECONDS: Final = 60


def issue_app_tokens(tx: Connection, secret: str, kind: TokenKind, *, now: datetime) -> AppTokens | None:
    """Give an app short-lived tokens for an API token, or for a refresh token it got before.

    Returns None where that is not valid. The tokens are returned only once; they end with the API token. A refresh
    token stays valid until its time ends: an app that did not get the answer asks again with the same one.
    """
    made = AppTokens(new_secret(), new_secret())
    return made if _issue(tx, secret, kind, made, now) else None


def _issue(tx: Connection, secret: str, kind: TokenKind, made: AppTokens, now: datetime) -> bool:
    valid = find_valid_token(tx, secret, (kind,), now=now)
    if valid is None:
        return False
    hashed = HashedTokens(hash_secret(made.access), hash_secret(made.refresh))
    tokens.insert_tokens(tx, valid.credential_id, hashed, now)
    users.touch_token(tx, valid.credential_id, now)
    return True


async def limit_app_sign_in(limits: RateLimits, address: str, attempt: Callable[[], Awaitable[T | None]]) -> T | None:
    """Slow down whoever guesses tokens, without limiting apps that sign in with good ones as often as they like.

    Only failures count, for each address; after too many of them every attempt is refused for a while.
    """
    if await limits.is_exhausted("login", "app", address):
        raise RateLimited(RETRY_SECONDS)
    found = await attempt()
    if found is None:
        await limits.require("login", "app", address)
    return found
