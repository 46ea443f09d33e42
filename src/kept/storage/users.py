"""Queries about accounts: users, sessions, tokens, set-up links. Only hashes of secrets reach this module."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import RowMapping, bindparam, delete, exists, select, true, update
from sqlalchemy.exc import IntegrityError

from kept.domain.account import ApiToken, Scope, Session, User, Viewer
from kept.domain.errors import Conflict
from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.tables import api_tokens, connect_codes, preferences, sessions, setup_links, users

USER_COLUMNS: Final = (users.c.id, users.c.name, users.c.is_admin, users.c.created_at)
# Asked with every request.
FIND_SESSION: Final = (
    select(*USER_COLUMNS, sessions.c.id, sessions.c.last_seen_at)
    .join(users, users.c.id == sessions.c.user_id)
    .where(sessions.c.token_hash == bindparam("token_hash"), sessions.c.expires_at > bindparam("now"))
)


@dataclass(frozen=True, slots=True)
class Authenticated:
    """A viewer, and when their credential was last seen, so that the caller can refresh it now and then."""

    viewer: Viewer
    credential_id: UUID
    last_seen_at: datetime | None


@dataclass(frozen=True, slots=True)
class ConnectCode:
    """A one-time code for which a browser extension gets its token. Only its hash is stored."""

    user_id: UUID
    challenge: str
    name: str
    """The name that the token will have."""
    expires_at: datetime


def user_from(row: RowMapping) -> User:
    return User(row["id"], row["name"], row["is_admin"], row["created_at"])


def insert_user(tx: Connection, user: User, password_hash: str) -> None:
    try:
        tx.execute(
            users.insert().values(
                id=user.id,
                name=user.name,
                is_admin=user.is_admin,
                password_hash=password_hash,
                created_at=user.created_at,
            )
        )
    except IntegrityError:
        raise Conflict("There is a user named %(name)s already.", name=user.name) from None


def any_user_exists(tx: Connection) -> bool:
    return bool(tx.execute(select(exists(select(users.c.id)))).scalar_one())


def user_exists(tx: Connection, user_id: UUID) -> bool:
    return bool(tx.execute(select(exists(select(users.c.id).where(users.c.id == user_id)))).scalar_one())


def list_users(tx: Connection) -> list[User]:
    rows = tx.execute(select(*USER_COLUMNS).order_by(users.c.name))
    return [user_from(row) for row in rows.mappings()]


def lock_user(tx: Connection, user_id: UUID) -> None:
    """Lock a user, so that something happens only once at a time; rows that refer to the user can still be written."""
    tx.execute(select(users.c.id).where(users.c.id == user_id).with_for_update(key_share=True))


def list_names(tx: Connection, user_ids: Sequence[UUID]) -> dict[UUID, str]:
    query = select(users.c.id, users.c.name).where(users.c.id.in_(user_ids))
    return {row.id: row.name for row in tx.execute(query)}


def lock_administrators(tx: Connection) -> None:
    """Lock the administrators until the transaction ends, so that nobody else removes one."""
    tx.execute(select(users.c.id).where(users.c.is_admin).with_for_update())


def delete_user(tx: Connection, user_id: UUID) -> None:
    """Delete a user with everything they own; libraries that are to stay are handed over first."""
    tx.execute(delete(users).where(users.c.id == user_id))


def find_user_by_name(tx: Connection, name: str) -> User | None:
    row = tx.execute(select(*USER_COLUMNS).where(users.c.name == name)).mappings().one_or_none()
    return user_from(row) if row else None


def find_password_hash(tx: Connection, name: str) -> tuple[User, str] | None:
    query = select(*USER_COLUMNS, users.c.password_hash).where(users.c.name == name)
    row = tx.execute(query).mappings().one_or_none()
    return (user_from(row), row["password_hash"]) if row else None


def update_password_hash(tx: Connection, user_id: UUID, password_hash: str) -> None:
    tx.execute(update(users).where(users.c.id == user_id).values(password_hash=password_hash))


# --- sessions -------------------------------------------------------------------------------------------------


def insert_session(tx: Connection, user_id: UUID, session: Session, token_hash: str) -> None:
    tx.execute(
        sessions.insert().values(
            id=session.id,
            user_id=user_id,
            token_hash=token_hash,
            user_agent=session.user_agent,
            created_at=session.created_at,
            last_seen_at=session.last_seen_at,
            expires_at=session.expires_at,
        )
    )


def find_session(tx: Connection, token_hash: str, now: datetime) -> Authenticated | None:
    row = tx.execute(FIND_SESSION, {"token_hash": token_hash, "now": now}).first()
    if row is None:
        return None
    *user, session_id, last_seen_at = row
    viewer = Viewer(User(*user), frozenset(Scope), session_id=session_id)
    return Authenticated(viewer, session_id, last_seen_at)


def touch_session(tx: Connection, session_id: UUID, now: datetime, expires_at: datetime) -> None:
    tx.execute(update(sessions).where(sessions.c.id == session_id).values(last_seen_at=now, expires_at=expires_at))


def list_sessions(tx: Connection, user_id: UUID, now: datetime) -> list[Session]:
    query = select(sessions).where(sessions.c.user_id == user_id, sessions.c.expires_at > now)
    rows = tx.execute(query.order_by(sessions.c.last_seen_at.desc()))
    return [
        Session(row["id"], row["user_agent"], row["created_at"], row["last_seen_at"], row["expires_at"])
        for row in rows.mappings()
    ]


def delete_session(tx: Connection, user_id: UUID, session_id: UUID) -> bool:
    result = tx.execute(delete(sessions).where(sessions.c.id == session_id, sessions.c.user_id == user_id))
    return result.rowcount == 1


def delete_sessions_of(tx: Connection, user_id: UUID) -> None:
    tx.execute(delete(sessions).where(sessions.c.user_id == user_id))


def delete_other_sessions(tx: Connection, user_id: UUID, *, keep: UUID | None) -> None:
    tx.execute(delete(sessions).where(sessions.c.user_id == user_id, sessions.c.id.is_distinct_from(keep)))


def delete_expired_sessions(tx: Connection, now: datetime) -> None:
    tx.execute(delete(sessions).where(sessions.c.expires_at <= now))


# --- tokens ---------------------------------------------------------------------------------------------------


def insert_token(tx: Connection, user_id: UUID, token: ApiToken, token_hash: str) -> None:
    tx.execute(
        api_tokens.insert().values(
            id=token.id,
            user_id=user_id,
            name=token.name,
            token_hash=token_hash,
            scopes=sorted(token.scopes),
            created_at=token.created_at,
        )
    )


def touch_token(tx: Connection, token_id: UUID, now: datetime) -> None:
    tx.execute(update(api_tokens).where(api_tokens.c.id == token_id).values(last_used_at=now))


def list_tokens(tx: Connection, user_id: UUID) -> list[ApiToken]:
    query = select(api_tokens).where(api_tokens.c.user_id == user_id).order_by(api_tokens.c.created_at)
    return [token_from(row) for row in tx.execute(query).mappings()]


def token_from(row: RowMapping) -> ApiToken:
    scopes = frozenset(map(Scope, row["scopes"]))
    return ApiToken(row["id"], row["name"], scopes, row["created_at"], row["last_used_at"])


def delete_token(tx: Connection, user_id: UUID, token_id: UUID) -> bool:
    own = delete(api_tokens).where(api_tokens.c.id == token_id, api_tokens.c.user_id == user_id)
    return tx.execute(own).rowcount == 1


def delete_token_by_hash(tx: Connection, token_hash: str, user_id: UUID | None = None) -> None:
    """Delete a token by its hash; with `user_id`, only one of theirs."""
    owned = true() if user_id is None else api_tokens.c.user_id == user_id
    tx.execute(delete(api_tokens).where(api_tokens.c.token_hash == token_hash, owned))


def delete_tokens_of(tx: Connection, user_id: UUID) -> int:
    """Delete all tokens of a user; return how many there were."""
    return tx.execute(delete(api_tokens).where(api_tokens.c.user_id == user_id)).rowcount


# --- the first-run set-up link --------------------------------------------------------------------------------


def replace_setup_link(tx: Connection, token_hash: str, now: datetime, expires_at: datetime) -> None:
    tx.execute(delete(setup_links))
    tx.execute(setup_links.insert().values(token_hash=token_hash, created_at=now, expires_at=expires_at))


def use_setup_link(tx: Connection, token_hash: str, now: datetime) -> bool:
    """Use a set-up link up; return whether it was valid."""
    good = (setup_links.c.token_hash == token_hash, setup_links.c.used_at.is_(None), setup_links.c.expires_at > now)
    return tx.execute(update(setup_links).where(*good).values(used_at=now)).rowcount == 1


def find_preferences(tx: Connection, user_id: UUID) -> Mapping[str, object]:
    query = select(preferences.c["values"]).where(preferences.c.user_id == user_id)
    return tx.execute(query).scalar_one_or_none() or {}


def put_preferences(tx: Connection, user_id: UUID, values: Mapping[str, object], now: datetime) -> None:
    columns = {"values": dict(values), "updated_at": now}
    insert = upsert(tx, preferences).values(user_id=user_id, **columns)
    tx.execute(insert.on_conflict_do_update(index_elements=["user_id"], set_=columns))


def insert_code(tx: Connection, code_hash: str, code: ConnectCode) -> None:
    tx.execute(
        connect_codes.insert().values(
            code_hash=code_hash,
            user_id=code.user_id,
            challenge=code.challenge,
            name=code.name,
            expires_at=code.expires_at,
        )
    )


def take_code(tx: Connection, code_hash: str, now: datetime) -> ConnectCode | None:
    """Take a connect code, which works only once; if two ask at the same time, the second gets None."""
    query = select(connect_codes).where(connect_codes.c.code_hash == code_hash, connect_codes.c.expires_at > now)
    row = tx.execute(query).mappings().one_or_none()
    taken = tx.execute(delete(connect_codes).where(connect_codes.c.code_hash == code_hash)).rowcount == 1
    if row is None or not taken:
        return None
    return ConnectCode(row["user_id"], row["challenge"], row["name"], row["expires_at"])


def delete_expired(tx: Connection, now: datetime) -> None:
    tx.execute(delete(connect_codes).where(connect_codes.c.expires_at <= now))
