"""Account pages: appearance, export, password, sessions, API tokens; for administrators, the users."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request, Response

from kept.api.access import Admin, KeptDep, Writer
from kept.api.sessions import limit_password_changes
from kept.domain.account import Scope, parse_scopes
from kept.domain.errors import KeptError
from kept.domain.message import Message
from kept.domain.preferences import KNOWN
from kept.services.accounts.sessions import PasswordChange, change_password, end_session, list_sessions
from kept.services.accounts.tokens import create_token, list_tokens, revoke_token
from kept.services.accounts.users import create_user, list_users
from kept.services.items.copying import measure_captures
from kept.services.libraries.libraries import list_libraries
from kept.web.exporting import FORMAT_LABELS
from kept.web.notices import Notice, NoticeDep
from kept.web.rendering import Visit, Visiting, begin_visit, go_to

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]


@router.get("/account")
async def show_account(visit: Visiting, notice: NoticeDep) -> Response:
    return await render_account(visit, notice)


async def render_account(
    visit: Visit, notice: Notice | None, status: int = 200, error: Message | None = None
) -> Response:
    sessions = await visit.kept.read(list_sessions, visit.viewer, now=visit.kept.now())
    shown = {"sessions": sessions, "choices": KNOWN, "notice": notice, "error": error}
    libraries = await visit.kept.read(list_libraries, visit.viewer)
    use = await visit.kept.read(measure_captures, visit.viewer, visit.kept.settings)
    return visit.render("account.html", status, **shown, libraries=libraries, export_formats=FORMAT_LABELS, use=use)


@router.post("/account/password")
async def submit_password(
    request: Request, viewer: Writer, kept: KeptDep, current: Text = "", new: Text = "", revoke_tokens: Text = ""
) -> Response:
    try:
        await limit_password_changes(kept, viewer)
        change = PasswordChange(current, new, revoke_tokens=bool(revoke_tokens))
        await change_password(kept.database, kept.passwords, viewer, change)
    except KeptError as error:
        # 400 and not 403: the form may be sent, but the current password in it is wrong
        return await render_account(await begin_visit(request, viewer, kept), None, 400, error.told)
    return go_to("/account", done="password_and_tokens" if revoke_tokens else "password")


@router.post("/account/sessions/{session_id}")
async def submit_session(viewer: Writer, kept: KeptDep, session_id: UUID) -> Response:
    await kept.write(end_session, viewer, session_id)
    return go_to("/account", done="ended")


@router.get("/tokens")
async def show_tokens(visit: Visiting, notice: NoticeDep) -> Response:
    return await render_tokens(visit, notice)


async def render_tokens(
    visit: Visit,
    notice: Notice | None = None,
    *,
    status: int = 200,
    secret: str | None = None,
    error: Message | None = None,
) -> Response:
    tokens = await visit.kept.read(list_tokens, visit.viewer)
    scopes = [scope for scope in Scope if visit.viewer.may(scope)]
    shown = {"tokens": tokens, "scopes": scopes, "notice": notice, "secret": secret, "error": error}
    return visit.render("tokens.html", status, **shown)


@router.post("/tokens")
async def submit_token(
    request: Request,
    viewer: Writer,
    kept: KeptDep,
    name: Text = "",
    scope: Text = Scope.WRITE,
) -> Response:
    """Create a token, which is shown in this response only: it is in no URL, no log and no cache."""
    visit = await begin_visit(request, viewer, kept)
    try:
        scopes = parse_scopes([scope])
        _, secret = await kept.write(create_token, viewer, name=name, scopes=scopes, now=kept.now())
    except KeptError as error:
        return await render_tokens(visit, status=400, error=error.told)
    response = await render_tokens(visit, secret=secret)
    response.headers["Cache-Control"] = "no-store"
    return response


@router.post("/tokens/{token_id}")
async def submit_revocation(viewer: Writer, kept: KeptDep, token_id: UUID) -> Response:
    await kept.write(revoke_token, viewer, token_id)
    return go_to("/tokens", done="revoked")


@router.get("/users")
async def show_users(request: Request, admin: Admin, kept: KeptDep, notice: NoticeDep) -> Response:
    visit = await begin_visit(request, admin, kept)
    return visit.render("users.html", users=await kept.read(list_users), notice=notice, name="", error=None)


@router.post("/users")
async def submit_user(
    request: Request, admin: Admin, kept: KeptDep, name: Text = "", password: Text = "", is_admin: Text = ""
) -> Response:
    try:
        await create_user(
            kept.database, kept.passwords, name=name, password=password, is_admin=bool(is_admin), now=kept.now()
        )
    except KeptError as error:
        visit = await begin_visit(request, admin, kept)
        users = await kept.read(list_users)
        shown = {"users": users, "notice": None, "name": name, "error": error.told}
        return visit.render("users.html", error.http_status, **shown)
    return go_to("/users", done="user")
