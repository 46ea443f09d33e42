"""Which tokens are valid, short-lived tokens of apps, and OAuth's clients and grants."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, RowMapping, bindparam, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from kept.domain.account import MOST_PER_KIND, VALID_FOR, Scope, TokenKind, User, Viewer
from kept.domain.errors import Conflict
from kept.domain.oauth import Grant, GrantState, OAuthClient
from kept.storage.database.engine import Connection
from kept.storage.tables import api_tokens, app_tokens, oauth_clients, oauth_grants, users
from kept.storage.users import USER_COLUMNS, Authenticated

# Asked with every request.
FIND_API_TOKEN: Final = (
    select(*USER_COLUMNS, api_tokens.c.id, api_tokens.c.scopes, api_tokens.c.last_used_at)
    .join(users, users.c.id == api_tokens.c.user_id)
    .where(api_tokens.c.token_hash == bindparam("token_hash"))
)
FIND_APP_TOKEN: Final = (
    select(*USER_COLUMNS, api_tokens.c.id, api_tokens.c.scopes, api_tokens.c.last_used_at)
    .select_from(app_tokens)
    .join(api_tokens, api_tokens.c.id == app_tokens.c.api_token_id)
    .join(users, users.c.id == api_tokens.c.user_id)
    .where(
        app_tokens.c.token_hash == bindparam("token_hash"),
        app_tokens.c.kind == bindparam("kind"),
        app_tokens.c.expires_at > bindparam("now"),
    )
)


@dataclass(frozen=True, slots=True)
class HashedTokens:
    """The hashes of an app's short-lived tokens; only hashes of secrets reach this module."""

    access: str
    refresh: str

    @property
    def by_kind(self) -> Mapping[TokenKind, str]:
        return {TokenKind.ACCESS: self.access, TokenKind.REFRESH: self.refresh}


def insert_tokens(tx: Connection, api_token_id: UUID, hashed: HashedTokens, now: datetime) -> None:
    """Insert an app's tokens. The oldest are deleted if there are too many, since an app may ask for any number."""
    tx.execute(delete(app_tokens).where(app_tokens.c.expires_at <= now))
    rows = [
        {
            "token_hash": token_hash,
            "api_token_id": api_token_id,
            "kind": kind,
            "created_at": now,
            "expires_at": now + VALID_FOR[kind],
        }
        for kind, token_hash in hashed.by_kind.items()
    ]
    tx.execute(app_tokens.insert(), rows)
    for kind in VALID_FOR:
        own = (app_tokens.c.api_token_id == api_token_id, app_tokens.c.kind == kind)
        newest = select(app_tokens.c.token_hash).where(*own).order_by(app_tokens.c.created_at.desc())
        beyond = newest.offset(MOST_PER_KIND).limit(MOST_PER_KIND)
        tx.execute(delete(app_tokens).where(app_tokens.c.token_hash.in_(beyond)))


def find_valid(tx: Connection, token_hash: str, kind: TokenKind, now: datetime) -> Authenticated | None:
    """Find the viewer behind a token of that kind, if it is valid now, and the API token it belongs to."""
    if kind is TokenKind.API:
        row = tx.execute(FIND_API_TOKEN, {"token_hash": token_hash}).first()
    else:
        row = tx.execute(FIND_APP_TOKEN, {"token_hash": token_hash, "kind": kind, "now": now}).first()
    if row is None:
        return None
    *user, token_id, scopes, last_used_at = row
    return Authenticated(Viewer(User(*user), frozenset(map(Scope, scopes))), token_id, last_used_at)


def insert_client(tx: Connection, client: OAuthClient) -> None:
    details = {"name": client.name, "redirect_uris": list(client.redirect_uris)}
    tx.execute(oauth_clients.insert().values(id=client.id, details=details, created_at=client.created_at))


def find_client(tx: Connection, client_id: UUID) -> OAuthClient | None:
    row = tx.execute(select(oauth_clients).where(oauth_clients.c.id == client_id)).mappings().one_or_none()
    return client_from(row["id"], row["details"], row["created_at"]) if row else None


def client_from(key: UUID, details: Mapping[str, object], created_at: datetime) -> OAuthClient:
    uris = details["redirect_uris"]
    assert isinstance(uris, list)
    return OAuthClient(key, str(details["name"]), tuple(map(str, uris)), created_at)


def count_clients(tx: Connection) -> int:
    return int(tx.execute(select(func.count()).select_from(oauth_clients)).scalar_one())


def insert_grant(tx: Connection, grant: Grant, code_hash: str, now: datetime) -> None:
    try:
        tx.execute(
            oauth_grants.insert().values(
                id=grant.id,
                client_id=grant.client.id,
                code_hash=code_hash,
                user_code=grant.user_code,
                code_challenge=grant.code_challenge,
                redirect_uri=grant.redirect_uri,
                scope=grant.scope,
                state=grant.state,
                user_id=grant.user_id,
                created_at=now,
                expires_at=grant.expires_at,
            )
        )
    except IntegrityError:
        raise Conflict("Try again.") from None


def find_grant_by_code(tx: Connection, code_hash: str) -> Grant | None:
    return find_grant(tx, oauth_grants.c.code_hash == code_hash)


def find_grant_by_user_code(tx: Connection, user_code: str) -> Grant | None:
    return find_grant(tx, oauth_grants.c.user_code == user_code)


def find_grant(tx: Connection, which: ColumnElement[bool]) -> Grant | None:
    query = select(
        oauth_grants,
        oauth_clients.c.details,
        oauth_clients.c.created_at.label("client_created_at"),
    ).join(oauth_clients, oauth_clients.c.id == oauth_grants.c.client_id)
    row = tx.execute(query.where(which)).mappings().one_or_none()
    return grant_from(row) if row else None


def grant_from(row: RowMapping) -> Grant:
    return Grant(
        row["id"],
        client_from(row["client_id"], row["details"], row["client_created_at"]),
        row["scope"],
        GrantState(row["state"]),
        row["user_code"],
        row["code_challenge"],
        row["redirect_uri"],
        row["user_id"],
        row["polled_at"],
        row["expires_at"],
    )


def decide_grant(tx: Connection, grant_id: UUID, state: GrantState, user_id: UUID) -> bool:
    """Approve or deny a grant; return False if it was decided before."""
    pending = (oauth_grants.c.id == grant_id, oauth_grants.c.state == GrantState.PENDING)
    return tx.execute(update(oauth_grants).where(*pending).values(state=state, user_id=user_id)).rowcount == 1


def note_poll(tx: Connection, grant_id: UUID, now: datetime) -> None:
    tx.execute(update(oauth_grants).where(oauth_grants.c.id == grant_id).values(polled_at=now))


def take_grant(tx: Connection, grant_id: UUID) -> bool:
    """Delete a grant, which is good for one token; return whether it was still there."""
    return tx.execute(delete(oauth_grants).where(oauth_grants.c.id == grant_id)).rowcount == 1


def forget_expired(tx: Connection, *, grants_before: datetime, clients_before: datetime) -> None:
    tx.execute(delete(oauth_grants).where(oauth_grants.c.expires_at < grants_before))
    tx.execute(delete(oauth_clients).where(oauth_clients.c.created_at < clients_before))
