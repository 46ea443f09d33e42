"""Queries about the short-lived tokens of apps. Only hashes of secrets reach this module."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select

from kept.domain.account import MOST_PER_KIND, VALID_FOR, AppTokenKind, Scope, User, Viewer
from kept.storage.database.engine import Connection
from kept.storage.tables import api_tokens, app_tokens, users
from kept.storage.users import USER_COLUMNS, Authenticated


@dataclass(frozen=True, slots=True)
class HashedTokens:
    access: str
    refresh: str

    @property
    def by_kind(self) -> Mapping[AppTokenKind, str]:
        return {AppTokenKind.ACCESS: self.access, AppTokenKind.REFRESH: self.refresh}


def insert_tokens(tx: Connection, api_token_id: UUID, hashed: HashedTokens, now: datetime) -> None:
    """The oldest go where there are too many: an app may ask for new ones as often as it likes."""
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
    for kind in AppTokenKind:
        own = (app_tokens.c.api_token_id == api_token_id, app_tokens.c.kind == kind)
        newest = select(app_tokens.c.token_hash).where(*own).order_by(app_tokens.c.created_at.desc())
        beyond = newest.offset(MOST_PER_KIND).limit(MOST_PER_KIND)
        tx.execute(delete(app_tokens).where(app_tokens.c.token_hash.in_(beyond)))


def find_app_token(tx: Connection, token_hash: str, kind: AppTokenKind, now: datetime) -> Authenticated | None:
    """The API token behind it, if it is still there."""
    query = (
        select(*USER_COLUMNS, api_tokens.c.id, api_tokens.c.scopes, api_tokens.c.last_used_at)
        .select_from(app_tokens)
        .join(api_tokens, api_tokens.c.id == app_tokens.c.api_token_id)
        .join(users, users.c.id == api_tokens.c.user_id)
        .where(app_tokens.c.token_hash == token_hash, app_tokens.c.kind == kind, app_tokens.c.expires_at > now)
    )
    row = tx.execute(query).first()
    if row is None:
        return None
    *user, token_id, scopes, last_used_at = row
    return Authenticated(Viewer(User(*user), frozenset(map(Scope, scopes))), token_id, last_used_at)
