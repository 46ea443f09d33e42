"""OAuth for apps: registered clients, the device grant and the authorisation code grant."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import TOKEN_PREFIX, ApiToken, Viewer
from kept.domain.errors import Conflict, Forbidden, NotFound, RateLimited
from kept.domain.oauth import (
    CLIENT_VALID_FOR,
    GRANT_VALID_FOR,
    POLL_SECONDS,
    USER_CODE_LENGTH,
    USER_CODE_LETTERS,
    Grant,
    GrantState,
    OAuthClient,
    OAuthError,
    is_verified,
    parse_client_name,
    parse_redirect_uris,
    parse_user_code,
    scopes_of,
)
from kept.ids import new_id
from kept.services.accounts.secrets import hash_secret, new_secret
from kept.storage import tokens, users
from kept.storage.database.engine import Connection

# A client that asks every five seconds may be a little early.
POLL_TOLERANCE: Final = timedelta(seconds=POLL_SECONDS - 1)
# Anybody may register an app, so that old ones expire and fill no disk.
MAX_CLIENTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """What an app asks for when it requests an authorisation code; the caller has checked it."""

    scope: str
    challenge: str
    redirect_uri: str
    """The address that the app's user is sent back to."""


@dataclass(frozen=True, slots=True)
class Redemption:
    """What an app presents to exchange a code for a token."""

    client_id: UUID
    code: str
    verifier: str | None = None
    """The PKCE verifier that comes with an authorisation code; a device has none."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    token: ApiToken
    secret: str
    scope: str


@dataclass(frozen=True, slots=True)
class DeviceGrant:
    device_code: str
    user_code: str


def decide_device_grant(tx: Connection, viewer: Viewer, grant: Grant, *, is_approved: bool) -> None:
    """Approve or deny the access that a device asks for; nobody can give it more than they may do themselves."""
    if not all(viewer.may(scope) for scope in grant.scopes):
        raise Forbidden("You cannot allow an app more than you may do yourself.")
    state = GrantState.APPROVED if is_approved else GrantState.DENIED
    if not tokens.decide_grant(tx, grant.id, state, viewer.user_id):
        raise Conflict("This code was used already.")


def find_client(tx: Connection, client_id: UUID, *, now: datetime) -> OAuthClient | None:
    """Find an app that registered itself and is still valid."""
    client = tokens.find_client(tx, client_id)
    return client if client and client.created_at > now - CLIENT_VALID_FOR else None


def find_device_grant(tx: Connection, user_code: str, *, now: datetime) -> Grant | None:
    """Find what a device asks for, by the code that a person typed in.

    Return None for a code that was never given out, is too old, or was used.
    """
    code = parse_user_code(user_code)
    grant = tokens.find_grant_by_user_code(tx, code) if code else None
    return grant if grant and grant.state is GrantState.PENDING and grant.expires_at > now else None


def issue_code(tx: Connection, viewer: Viewer, client: OAuthClient, asked: CodeRequest, *, now: datetime) -> str:
    """Make the code that an app exchanges for a token (PKCE), after a person let the app in."""
    if not all(viewer.may(each) for each in scopes_of(asked.scope)):
        raise Forbidden("You cannot allow an app more than you may do yourself.")
    code, expires_at = new_secret(), now + GRANT_VALID_FOR
    grant = Grant(
        new_id(),
        client,
        asked.scope,
        GrantState.APPROVED,
        None,
        asked.challenge,
        asked.redirect_uri,
        viewer.user_id,
        None,
        expires_at,
    )
    tokens.insert_grant(tx, grant, hash_secret(code), now)
    return code


def redeem_grant(tx: Connection, asked: Redemption, *, now: datetime) -> IssuedToken | OAuthError:
    """Exchange a code for a token, once; or tell why there is none yet."""
    return _redeem(tx, asked, TOKEN_PREFIX + new_secret(), now)


def _redeem(tx: Connection, asked: Redemption, secret: str, now: datetime) -> IssuedToken | OAuthError:
    grant = tokens.find_grant_by_code(tx, hash_secret(asked.code))
    if grant is None or grant.client.id != asked.client_id:
        return OAuthError.INVALID_GRANT
    refusal = _check_code(grant, asked) if grant.code_challenge else _check_device(tx, grant, asked, now)
    if grant.expires_at <= now:
        refusal = OAuthError.EXPIRED_TOKEN
    if refusal is not None:
        return refusal
    if grant.user_id is None or not tokens.take_grant(tx, grant.id):
        return OAuthError.INVALID_GRANT
    token = ApiToken(new_id(), grant.client.name, grant.scopes, now, None)
    users.insert_token(tx, grant.user_id, token, hash_secret(secret))
    return IssuedToken(token, secret, grant.scope)


def _check_code(grant: Grant, asked: Redemption) -> OAuthError | None:
    is_good = grant.code_challenge and asked.verifier and is_verified(grant.code_challenge, asked.verifier)
    return None if is_good else OAuthError.INVALID_GRANT


def _check_device(tx: Connection, grant: Grant, asked: Redemption, now: datetime) -> OAuthError | None:
    """Return why a device gets no token yet; a device that asks too often is told to slow down."""
    if asked.verifier is not None:
        return OAuthError.INVALID_GRANT
    if grant.state is GrantState.DENIED:
        return OAuthError.ACCESS_DENIED
    is_early = grant.polled_at is not None and now - grant.polled_at < POLL_TOLERANCE
    tokens.note_poll(tx, grant.id, now)
    if is_early:
        return OAuthError.SLOW_DOWN
    return OAuthError.AUTHORIZATION_PENDING if grant.state is GrantState.PENDING else None


def register_client(tx: Connection, name: str, redirect_uris: list[str], *, now: datetime) -> OAuthClient:
    """Register an app, before it asks anybody for access."""
    client = OAuthClient(new_id(), parse_client_name(name), parse_redirect_uris(redirect_uris), now)
    _insert_client(tx, client, now)
    return client


def _insert_client(tx: Connection, client: OAuthClient, now: datetime) -> None:
    tokens.forget_expired(tx, grants_before=now, clients_before=now - CLIENT_VALID_FOR)
    if tokens.count_clients(tx) >= MAX_CLIENTS:
        raise RateLimited(retry_after_seconds=3600)
    tokens.insert_client(tx, client)


def start_device_grant(tx: Connection, client_id: UUID, scope: str, *, now: datetime) -> DeviceGrant:
    """Start a device's request for access: make a code for it to ask with, and one for a person to type in."""
    user_code = "".join(secrets.choice(USER_CODE_LETTERS) for _ in range(USER_CODE_LENGTH))
    made = DeviceGrant(new_secret(), user_code)
    _insert_grant(tx, client_id, scope, made, now)
    return made


def _insert_grant(tx: Connection, client_id: UUID, scope: str, made: DeviceGrant, now: datetime) -> None:
    client = tokens.find_client(tx, client_id)
    if client is None:
        raise NotFound("There is no such client.")
    expires_at = now + GRANT_VALID_FOR
    grant = Grant(new_id(), client, scope, GrantState.PENDING, made.user_code, None, None, None, None, expires_at)
    tokens.insert_grant(tx, grant, hash_secret(made.device_code), now)
