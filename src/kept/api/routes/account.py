"""Set-up, sessions, tokens, users, and the current user."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import Field

from kept.api.access import (
    Admin,
    KeptDep,
    PublicForm,
    Reader,
    Writer,
    is_https,
    session_cookie_name,
)
from kept.api.envelope import ApiModel, Data, RequestModel, errors
from kept.bootstrap import Kept
from kept.domain.account import Scope, parse_password, parse_scopes, parse_user_name
from kept.services.accounts import manage_sessions, manage_tokens
from kept.services.accounts.create_user import create_user
from kept.services.accounts.set_up import set_up
from kept.services.accounts.sign_in import SignedIn, sign_in
from kept.storage import libraries, users

router = APIRouter(prefix="/api/v1", tags=["account"])

Name = Annotated[str, Field(min_length=1, max_length=200)]
Password = Annotated[str, Field(min_length=1, max_length=1024)]


class UserOut(ApiModel):
    id: UUID
    name: str
    is_admin: bool
    created_at: datetime


class MeOut(ApiModel):
    user: UserOut
    scopes: list[Scope]
    default_library_id: UUID


class TokenOut(ApiModel):
    id: UUID
    name: str
    scopes: list[Scope]
    created_at: datetime
    last_used_at: datetime | None


class NewTokenOut(TokenOut):
    token: str


class SessionOut(ApiModel):
    id: UUID
    user_agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    is_current: bool


class SetUpIn(RequestModel):
    token: Name
    name: Name
    password: Password


class SignInIn(RequestModel):
    name: Name
    password: Password


class TokenIn(RequestModel):
    name: Name
    scopes: list[Scope]


class UserIn(RequestModel):
    name: Name
    password: Password
    is_admin: bool = False


@router.post("/setup", status_code=201, dependencies=[PublicForm], responses=errors(403, 409, 429))
async def post_set_up(body: SetUpIn, request: Request, kept: KeptDep) -> Data[UserOut]:
    """Create the first administrator, with the secret of the one-time set-up link."""
    await limit_sign_ins(kept, request, "setup")
    user = await set_up(
        kept.database, kept.passwords, secret=body.token, name=body.name, password=body.password, now=kept.now()
    )
    return Data(data=UserOut.model_validate(user))


@router.post("/session", status_code=201, dependencies=[PublicForm], responses=errors(401, 403, 429))
async def post_session(body: SignInIn, request: Request, response: Response, kept: KeptDep) -> Data[UserOut]:
    """Sign in: sets a session cookie."""
    signed_in = await start_session(kept, request, body.name, body.password)
    set_session_cookie(response, request, kept, signed_in)
    return Data(data=UserOut.model_validate(signed_in.user))


@router.delete("/session", status_code=204, responses=errors(404))
async def delete_current_session(viewer: Reader, request: Request, response: Response, kept: KeptDep) -> None:
    """Sign out: ends the session of the cookie in the request."""
    if viewer.session_id is not None:
        await manage_sessions.end_session(kept.database, viewer, viewer.session_id)
    clear_session_cookie(response, request, kept)


@router.get("/sessions")
async def get_sessions(viewer: Reader, kept: KeptDep) -> Data[list[SessionOut]]:
    found = await manage_sessions.list_sessions(kept.database, viewer, now=kept.now())
    return Data(data=[SessionOut.of(session, is_current=session.id == viewer.session_id) for session in found])


@router.delete("/sessions/{session_id}", status_code=204, responses=errors(404))
async def delete_session(session_id: UUID, viewer: Writer, kept: KeptDep) -> None:
    await manage_sessions.end_session(kept.database, viewer, session_id)


@router.get("/me")
async def get_me(viewer: Reader, kept: KeptDep) -> Data[MeOut]:
    async with kept.database.read() as tx:
        library_id = await libraries.get_default_library_id(tx, viewer.user_id)
    user = UserOut.model_validate(viewer.user)
    return Data(data=MeOut(user=user, scopes=sorted(filter(viewer.may, Scope)), default_library_id=library_id))


@router.get("/tokens")
async def get_tokens(viewer: Reader, kept: KeptDep) -> Data[list[TokenOut]]:
    return Data(data=[token_out(token) for token in await manage_tokens.list_tokens(kept.database, viewer)])


@router.post("/tokens", status_code=201, responses=errors(403))
async def post_token(body: TokenIn, viewer: Writer, kept: KeptDep) -> Data[NewTokenOut]:
    """Create a token. The response is the only time it is shown."""
    scopes = parse_scopes(list(body.scopes))
    token, secret = await manage_tokens.create_token(
        kept.database, viewer, name=body.name, scopes=scopes, now=kept.now()
    )
    return Data(data=NewTokenOut(**token_out(token).model_dump(), token=secret))


@router.delete("/tokens/{token_id}", status_code=204, responses=errors(404))
async def delete_token(token_id: UUID, viewer: Writer, kept: KeptDep) -> None:
    await manage_tokens.revoke_token(kept.database, viewer, token_id)


@router.get("/users")
async def get_users(viewer: Admin, kept: KeptDep) -> Data[list[UserOut]]:
    async with kept.database.read() as tx:
        return Data(data=[UserOut.model_validate(user) for user in await users.list_users(tx)])


@router.post("/users", status_code=201, responses=errors(409))
async def post_user(body: UserIn, viewer: Admin, kept: KeptDep) -> Data[UserOut]:
    name, password_hash = parse_user_name(body.name), await kept.passwords.hash(parse_password(body.password))
    async with kept.database.write() as tx:
        user = await create_user(tx, name=name, password_hash=password_hash, is_admin=body.is_admin, now=kept.now())
    return Data(data=UserOut.model_validate(user))


def token_out(token: users.ApiToken) -> TokenOut:
    return TokenOut.of(token, scopes=sorted(token.scopes))


async def limit_sign_ins(kept: Kept, request: Request, name: str) -> None:
    address = request.client.host if request.client else "unknown"
    await kept.rate_limits.require("login", "address", address)
    await kept.rate_limits.require("login", "name", name.strip().casefold()[:200])


async def start_session(kept: Kept, request: Request, name: str, password: str) -> SignedIn:
    await limit_sign_ins(kept, request, name)
    return await sign_in(
        kept.database,
        kept.passwords,
        name=name,
        password=password,
        user_agent=request.headers.get("user-agent", ""),
        valid_for=kept.session_valid_for,
        now=kept.now(),
    )


def set_session_cookie(response: Response, request: Request, kept: Kept, signed_in: SignedIn) -> None:
    response.set_cookie(
        session_cookie_name(request, kept),
        signed_in.secret,
        max_age=int(kept.session_valid_for.total_seconds()),
        path="/",
        secure=is_https(request, kept),
        httponly=True,
        samesite="lax",
    )


def clear_session_cookie(response: Response, request: Request, kept: Kept) -> None:
    response.delete_cookie(
        session_cookie_name(request, kept), path="/", secure=is_https(request, kept), httponly=True, samesite="lax"
    )
