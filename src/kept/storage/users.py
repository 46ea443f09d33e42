"""Queries about accounts: users, sessions, tokens, set-up links. Only hashes of secrets reach this module."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import RowMapping, bindparam, delete, exists, func, select, update
from sqlalchemy.exc import IntegrityError

from kept.domain.account import Scope, User, Viewer
from kept.domain.errors import Conflict
from kept.storage.database.engine import AsyncConnection
from kept.storage.database.prepared import Prepared
from kept.storage.tables import api_tokens, sessions, setup_links, users

USER_COLUMNS: Final = (users.c.id, users.c.name, users.c.is_admin, users.c.created_at)
# Asked with every request.
FIND_TOKEN: Final = Prepared(
    select(*USER_COLUMNS, api_tokens.c.id, api_tokens.c.scopes, api_tokens.c.last_used_at)
    .join(users, users.c.id == api_tokens.c.user_id)
    .where(api_tokens.c.token_hash == bindparam("token_hash"))
)
FIND_SESSION: Final = Prepared(
    select(*USER_COLUMNS, sessions.c.id, sessions.c.last_seen_at)
    .join(users, users.c.id == sessions.c.user_id)
    .where(sessions.c.token_hash == bindparam("token_hash"), sessions.c.expires_at > bindparam("now"))
)


@dataclass(frozen=True, slots=True)
class ApiToken:
    id: UUID
    name: str
    scopes: frozenset[Scope]
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Session:
    id: UUID
    user_agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Authenticated:
    """A viewer, and when their credential was last seen, so that the caller can refresh it now and then."""

    viewer: Viewer
    credential_id: UUID
    last_seen_at: datetime | None


def user_from(row: RowMapping) -> User:
    return User(row["id"], row["name"], row["is_admin"], row["created_at"])


async def insert_user(tx: AsyncConnection, user: User, password_hash: str) -> None:
    try:
        await tx.execute(
            users.insert().values(
                id=user.id,
                name=user.name,
                is_admin=user.is_admin,
                password_hash=password_hash,
                created_at=user.created_at,
            )
        )
    except IntegrityError:
        raise Conflict(f"There is a user named {user.name} already.") from None


async def any_user_exists(tx: AsyncConnection) -> bool:
    return bool((await tx.execute(select(exists(select(users.c.id))))).scalar_one())


async def user_exists(tx: AsyncConnection, user_id: UUID) -> bool:
    return bool((await tx.execute(select(exists(select(users.c.id).where(users.c.id == user_id))))).scalar_one())


async def list_users(tx: AsyncConnection) -> list[User]:
    rows = await tx.execute(select(*USER_COLUMNS).order_by(users.c.name))
    return [user_from(row) for row in rows.mappings()]


async def find_user_by_name(tx: AsyncConnection, name: str) -> User | None:
    row = (await tx.execute(select(*USER_COLUMNS).where(users.c.name == name))).mappings().one_or_none()
    return user_from(row) if row else None


async def find_password_hash(tx: AsyncConnection, name: str) -> tuple[User, str] | None:
    query = select(*USER_COLUMNS, users.c.password_hash).where(users.c.name == name)
    row = (await tx.execute(query)).mappings().one_or_none()
    return (user_from(row), row["password_hash"]) if row else None


async def update_password_hash(tx: AsyncConnection, user_id: UUID, password_hash: str) -> None:
    await tx.execute(update(users).where(users.c.id == user_id).values(password_hash=password_hash))


async def delete_user(tx: AsyncConnection, user_id: UUID) -> None:
    await tx.execute(delete(users).where(users.c.id == user_id))


# --- sessions -------------------------------------------------------------------------------------------------


async def insert_session(tx: AsyncConnection, user_id: UUID, session: Session, token_hash: str) -> None:
    await tx.execute(
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


async def find_session(tx: AsyncConnection, token_hash: str, now: datetime) -> Authenticated | None:
    row = await FIND_SESSION.find(tx, {"token_hash": token_hash, "now": now})
    if row is None:
        return None
    *user, session_id, last_seen_at = row
    viewer = Viewer(User(*user), frozenset(Scope), session_id=session_id)
    return Authenticated(viewer, session_id, last_seen_at)


async def touch_session(tx: AsyncConnection, session_id: UUID, now: datetime, expires_at: datetime) -> None:
    await tx.execute(
        update(sessions).where(sessions.c.id == session_id).values(last_seen_at=now, expires_at=expires_at)
    )


async def list_sessions(tx: AsyncConnection, user_id: UUID, now: datetime) -> list[Session]:
    query = select(sessions).where(sessions.c.user_id == user_id, sessions.c.expires_at > now)
    rows = await tx.execute(query.order_by(sessions.c.last_seen_at.desc()))
    return [
        Session(row["id"], row["user_agent"], row["created_at"], row["last_seen_at"], row["expires_at"])
        for row in rows.mappings()
    ]


async def delete_session(tx: AsyncConnection, user_id: UUID, session_id: UUID) -> bool:
    result = await tx.execute(delete(sessions).where(sessions.c.id == session_id, sessions.c.user_id == user_id))
    return result.rowcount == 1


async def delete_sessions_of(tx: AsyncConnection, user_id: UUID) -> None:
    await tx.execute(delete(sessions).where(sessions.c.user_id == user_id))


async def delete_other_sessions(tx: AsyncConnection, user_id: UUID, *, keep: UUID | None) -> None:
    await tx.execute(delete(sessions).where(sessions.c.user_id == user_id, sessions.c.id.is_distinct_from(keep)))


async def delete_expired_sessions(tx: AsyncConnection, now: datetime) -> None:
    await tx.execute(delete(sessions).where(sessions.c.expires_at <= now))


# --- tokens ---------------------------------------------------------------------------------------------------


async def insert_token(tx: AsyncConnection, user_id: UUID, token: ApiToken, token_hash: str) -> None:
    await tx.execute(
        api_tokens.insert().values(
            id=token.id,
            user_id=user_id,
            name=token.name,
            token_hash=token_hash,
            scopes=sorted(token.scopes),
            created_at=token.created_at,
        )
    )


async def find_token(tx: AsyncConnection, token_hash: str) -> Authenticated | None:
    row = await FIND_TOKEN.find(tx, {"token_hash": token_hash})
    if row is None:
        return None
    *user, token_id, scopes, last_used_at = row
    return Authenticated(Viewer(User(*user), frozenset(map(Scope, scopes))), token_id, last_used_at)


async def touch_token(tx: AsyncConnection, token_id: UUID, now: datetime) -> None:
    await tx.execute(update(api_tokens).where(api_tokens.c.id == token_id).values(last_used_at=now))


async def list_tokens(tx: AsyncConnection, user_id: UUID) -> list[ApiToken]:
    query = select(api_tokens).where(api_tokens.c.user_id == user_id).order_by(api_tokens.c.created_at)
    return [token_from(row) for row in (await tx.execute(query)).mappings()]


def token_from(row: RowMapping) -> ApiToken:
    scopes = frozenset(map(Scope, row["scopes"]))
    return ApiToken(row["id"], row["name"], scopes, row["created_at"], row["last_used_at"])


async def delete_token(tx: AsyncConnection, user_id: UUID, token_id: UUID) -> bool:
    condition: Any = (api_tokens.c.id == token_id) & (api_tokens.c.user_id == user_id)
    return (await tx.execute(delete(api_tokens).where(condition))).rowcount == 1


# --- the first-run set-up link --------------------------------------------------------------------------------


async def replace_setup_link(tx: AsyncConnection, token_hash: str, now: datetime, expires_at: datetime) -> None:
    await tx.execute(delete(setup_links))
    await tx.execute(setup_links.insert().values(token_hash=token_hash, created_at=now, expires_at=expires_at))


async def use_setup_link(tx: AsyncConnection, token_hash: str, now: datetime) -> bool:
    """Whether the link was good; from here on it is not."""
    good = (setup_links.c.token_hash == token_hash, setup_links.c.used_at.is_(None), setup_links.c.expires_at > now)
    return (await tx.execute(update(setup_links).where(*good).values(used_at=now))).rowcount == 1


async def count_users(tx: AsyncConnection) -> int:
    return int((await tx.execute(select(func.count()).select_from(users))).scalar_one())
