"""The validity of tokens, API tokens of a user, and the connect codes for which the browser extension gets one."""

from datetime import datetime
from typing import Final
from uuid import UUID

from kept.domain.account import (
    CODE_VALID_FOR,
    CONNECTED_SCOPES,
    TOKEN_PREFIX,
    ApiToken,
    Scope,
    TokenKind,
    Viewer,
    answers_challenge,
    is_due_for_touch,
    parse_challenge,
    parse_display_name,
)
from kept.domain.errors import Forbidden, InvalidRequest, NotFound
from kept.ids import new_id
from kept.services.accounts.secrets import hash_secret, new_secret
from kept.storage import tokens, users
from kept.storage.database.engine import Connection, Database
from kept.storage.users import Authenticated, ConnectCode

# What is accepted in a request of another program's API: an API token, or an access token made from one.
APP_KINDS: Final = (TokenKind.API, TokenKind.ACCESS)


async def authenticate_token(
    database: Database, secret: str, accepted: tuple[TokenKind, ...] = (TokenKind.API,), *, now: datetime
) -> Viewer | None:
    """Return the viewer behind a request's token, if it is valid; its use is recorded now and then."""
    valid = await database.read(find_valid_token, secret, accepted, now=now)
    if valid is None:
        return None
    if is_due_for_touch(valid.last_seen_at, now):
        await database.write(users.touch_token, valid.credential_id, now)
    return valid.viewer


def find_valid_token(
    tx: Connection, secret: str, accepted: tuple[TokenKind, ...], *, now: datetime
) -> Authenticated | None:
    """Return the account a token is valid for now, or None: only this function decides, for tokens of every kind.

    An API token, which OAuth gives out too, is known by its prefix and valid until it is revoked. A token that an app
    got for one ends at its time, or with the API token.
    """
    is_api_token = secret.startswith(TOKEN_PREFIX)
    possible = (kind for kind in accepted if (kind is TokenKind.API) == is_api_token)
    found = (tokens.find_valid(tx, hash_secret(secret), kind, now) for kind in possible)
    return next((valid for valid in found if valid is not None), None)


def create_token(
    tx: Connection, viewer: Viewer, *, name: str, scopes: frozenset[Scope], now: datetime
) -> tuple[ApiToken, str]:
    """Create an API token.

    The token itself is returned once and never again. Nobody can make one that reaches further than they do.
    """
    if not scopes:
        raise InvalidRequest("A token needs at least one scope of %(scopes)s.", scopes=", ".join(Scope))
    if not all(viewer.may(scope) for scope in scopes):
        raise Forbidden("You cannot make a token that may do more than you.")
    token = ApiToken(new_id(), parse_display_name(name, "A token's name"), scopes, now, None)
    secret = TOKEN_PREFIX + new_secret()
    users.insert_token(tx, viewer.user_id, token, hash_secret(secret))
    return token, secret


def list_tokens(tx: Connection, viewer: Viewer) -> list[ApiToken]:
    return users.list_tokens(tx, viewer.user_id)


def revoke_token(tx: Connection, viewer: Viewer, token_id: UUID) -> None:
    """Revoke one of a user's own API tokens."""
    if not users.delete_token(tx, viewer.user_id, token_id):
        raise NotFound


def allow_connection(tx: Connection, viewer: Viewer, *, challenge: str, name: str, now: datetime) -> str:
    """Make the one-time code for which a browser extension gets its token, after a user agreed to connect it.

    The code is valid for a few minutes, once, and only together with the verifier of `challenge`.
    """
    if not all(map(viewer.may, CONNECTED_SCOPES)):
        raise Forbidden
    shown = parse_display_name(name, "A device's name")
    code = ConnectCode(viewer.user_id, parse_challenge(challenge), shown, now + CODE_VALID_FOR)
    secret = new_secret()
    _store(tx, hash_secret(secret), code, now)
    return secret


def _store(tx: Connection, code_hash: str, code: ConnectCode, now: datetime) -> None:
    users.delete_expired(tx, now)
    users.insert_code(tx, code_hash, code)


async def connect_extension(database: Database, *, code: str, verifier: str, now: datetime) -> tuple[ApiToken, str]:
    """Trade a connect code and its verifier for an API token that can save.

    The token itself is returned once and never again. A code is used up even by a wrong verifier.
    """
    secret = TOKEN_PREFIX + new_secret()
    token = await database.write(_connect, hash_secret(code), verifier, hash_secret(secret), now)
    if token is None:
        raise InvalidRequest("This code is not valid any more. Begin in the extension again.")
    return token, secret


def _connect(tx: Connection, code_hash: str, verifier: str, token_hash: str, now: datetime) -> ApiToken | None:
    code = users.take_code(tx, code_hash, now)
    if code is None or not answers_challenge(verifier, code.challenge):
        return None
    token = ApiToken(new_id(), code.name, CONNECTED_SCOPES, now, None)
    users.insert_token(tx, code.user_id, token, token_hash)
    return token


def disconnect_extension(tx: Connection, token: str) -> None:
    """Revoke the token that an extension was connected with; whoever has the token may do so."""
    users.delete_token_by_hash(tx, hash_secret(token))
