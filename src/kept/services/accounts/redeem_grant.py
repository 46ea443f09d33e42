"""Exchange a code for a token, once; or tell why there is none yet."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import TOKEN_PREFIX, ApiToken
from kept.domain.oauth import POLL_SECONDS, Grant, GrantState, OAuthError, is_verified
from kept.ids import new_id
from kept.services.accounts.hash_secret import hash_secret
from kept.services.accounts.new_secret import new_secret
from kept.storage import oauth, users
from kept.storage.database.engine import Connection

# A client that asks every five seconds may be a little early.
POLL_TOLERANCE: Final = timedelta(seconds=POLL_SECONDS - 1)


@dataclass(frozen=True, slots=True)
class Redemption:
    """What an app brings."""

    client_id: UUID
    code: str
    verifier: str | None = None
    """With an authorization code; a device has none."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    token: ApiToken
    secret: str
    scope: str


def redeem_grant(tx: Connection, asked: Redemption, *, now: datetime) -> IssuedToken | OAuthError:
    return _redeem(tx, asked, TOKEN_PREFIX + new_secret(), now)


def _redeem(tx: Connection, asked: Redemption, secret: str, now: datetime) -> IssuedToken | OAuthError:
    grant = oauth.find_grant_by_code(tx, hash_secret(asked.code))
    if grant is None or grant.client.id != asked.client_id:
        return OAuthError.INVALID_GRANT
    refusal = _check_code(grant, asked) if grant.code_challenge else _check_device(tx, grant, asked, now)
    if grant.expires_at <= now:
        refusal = OAuthError.EXPIRED_TOKEN
    if refusal is not None:
        return refusal
    if grant.user_id is None or not oauth.take_grant(tx, grant.id):
        return OAuthError.INVALID_GRANT
    token = ApiToken(new_id(), grant.client.name, grant.scopes, now, None)
    users.insert_token(tx, grant.user_id, token, hash_secret(secret))
    return IssuedToken(token, secret, grant.scope)


def _check_code(grant: Grant, asked: Redemption) -> OAuthError | None:
    is_good = grant.code_challenge and asked.verifier and is_verified(grant.code_challenge, asked.verifier)
    return None if is_good else OAuthError.INVALID_GRANT


def _check_device(tx: Connection, grant: Grant, asked: Redemption, now: datetime) -> OAuthError | None:
    """Who asks too often is told so, and is not answered until they wait."""
    if asked.verifier is not None:
        return OAuthError.INVALID_GRANT
    if grant.state is GrantState.DENIED:
        return OAuthError.ACCESS_DENIED
    is_early = grant.polled_at is not None and now - grant.polled_at < POLL_TOLERANCE
    oauth.note_poll(tx, grant.id, now)
    if is_early:
        return OAuthError.SLOW_DOWN
    return OAuthError.AUTHORIZATION_PENDING if grant.state is GrantState.PENDING else None
