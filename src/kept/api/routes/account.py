"""Set-up, sessions, tokens, users, and the current user."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import Field

from kept.api.access import Admin, Finder, KeptDep, PublicForm, Reader, Writer
from kept.api.envelope import ApiModel, Data, RequestModel, errors
from kept.api.item_models import NewTokenOut, TokenOut, new_token_out, token_out
from kept.api.sessions import (
    clear_session_cookie,
    limit_password_changes,
    limit_set_ups,
    set_session_cookie,
    start_session,
)
from kept.domain.account import Scope, parse_scopes
from kept.services.accounts.sessions import PasswordChange, change_password, end_session, list_sessions
from kept.services.accounts.tokens import create_token, list_tokens, revoke_token
from kept.services.accounts.users import create_user, list_users, set_up
from kept.services.libraries.libraries import get_default_library_id

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


class PasswordIn(RequestModel):
    current: Password
    new: Password
    revoke_tokens: bool = Field(False, description="Revoke all of the user's API tokens too.")


@router.post("/setup", status_code=201, dependencies=[PublicForm], responses=errors(403, 409, 429))
async def post_set_up(body: SetUpIn, request: Request, kept: KeptDep) -> Data[UserOut]:
    """Create the first administrator, with the secret of the one-time set-up link."""
    await limit_set_ups(kept, request)
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


@router.delete("/session", status_code=204)
async def delete_current_session(viewer: Reader, request: Request, response: Response, kept: KeptDep) -> None:
    """Sign out: ends the session of the cookie in the request."""
    if viewer.session_id is not None:
        await kept.write(end_session, viewer, viewer.session_id)
    clear_session_cookie(response, request, kept)


@router.get("/sessions")
async def get_sessions(viewer: Reader, kept: KeptDep) -> Data[list[SessionOut]]:
    sessions = await kept.read(list_sessions, viewer, now=kept.now())
    return Data(data=[SessionOut.of(session, is_current=session.id == viewer.session_id) for session in sessions])


@router.delete("/sessions/{session_id}", status_code=204, responses=errors(404))
async def delete_session(session_id: UUID, viewer: Writer, kept: KeptDep) -> None:
    await kept.write(end_session, viewer, session_id)


@router.get("/me")
async def get_me(viewer: Finder, kept: KeptDep) -> Data[MeOut]:
    library_id = await kept.read(get_default_library_id, viewer)
    user = UserOut.model_validate(viewer.user)
    return Data(data=MeOut(user=user, scopes=sorted(filter(viewer.may, Scope)), default_library_id=library_id))


@router.post("/me/password", status_code=204, responses=errors(403, 429))
async def post_password(body: PasswordIn, viewer: Writer, kept: KeptDep) -> None:
    """Change one's own password. Other sessions are signed out."""
    await limit_password_changes(kept, viewer)
    change = PasswordChange(body.current, body.new, revoke_tokens=body.revoke_tokens)
    await change_password(kept.database, kept.passwords, viewer, change)


@router.get("/tokens")
async def get_tokens(viewer: Reader, kept: KeptDep) -> Data[list[TokenOut]]:
    return Data(data=[token_out(token) for token in await kept.read(list_tokens, viewer)])


@router.post("/tokens", status_code=201, responses=errors(403))
async def post_token(body: TokenIn, viewer: Writer, kept: KeptDep) -> Data[NewTokenOut]:
    """Create a token. The response is the only time it is shown."""
    scopes = parse_scopes(list(body.scopes))
    token, secret = await kept.write(create_token, viewer, name=body.name, scopes=scopes, now=kept.now())
    return Data(data=new_token_out(token, secret))


@router.delete("/tokens/{token_id}", status_code=204, responses=errors(404))
async def delete_token(token_id: UUID, viewer: Writer, kept: KeptDep) -> None:
    await kept.write(revoke_token, viewer, token_id)


@router.get("/users")
async def get_users(viewer: Admin, kept: KeptDep) -> Data[list[UserOut]]:
    return Data(data=[UserOut.model_validate(user) for user in await kept.read(list_users)])


@router.post("/users", status_code=201, responses=errors(409))
async def post_user(body: UserIn, viewer: Admin, kept: KeptDep) -> Data[UserOut]:
    user = await create_user(
        kept.database, kept.passwords, name=body.name, password=body.password, is_admin=body.is_admin, now=kept.now()
    )
    return Data(data=UserOut.model_validate(user))
