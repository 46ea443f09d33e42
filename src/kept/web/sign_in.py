"""Set-up, sign-in and sign-out."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from kept.api.access import KeptDep, MaybeViewer, Public, PublicForm
from kept.api.routes.account import clear_session_cookie, limit_set_ups, set_session_cookie, start_session
from kept.domain.errors import KeptError
from kept.services.accounts.end_session import end_session
from kept.services.accounts.set_up import set_up
from kept.web.rendering import go_to, local_path, render

router = APIRouter()

Text = Annotated[str, Form()]


@router.get("/sign-in", dependencies=[Public])
async def show_sign_in(request: Request, next: str = "/") -> Response:
    return render(request, "sign_in.html", name="", next=local_path(next), error=None)


@router.post("/sign-in", dependencies=[PublicForm])
async def submit_sign_in(
    request: Request, kept: KeptDep, name: Text = "", password: Text = "", next: Text = "/"
) -> Response:
    try:
        signed_in = await start_session(kept, request, name, password)
    except KeptError as error:
        shown = {"name": name, "next": local_path(next), "error": error.message}
        return render(request, "sign_in.html", error.http_status, **shown)
    response = go_to(local_path(next))
    set_session_cookie(response, request, kept, signed_in)
    return response


@router.post("/sign-out", dependencies=[PublicForm])
async def submit_sign_out(request: Request, viewer: MaybeViewer, kept: KeptDep) -> Response:
    if viewer is not None and viewer.session_id is not None:
        await end_session(kept.database, viewer, viewer.session_id)
    response = go_to("/sign-in")
    response.headers["Clear-Site-Data"] = '"cache"'
    clear_session_cookie(response, request, kept)
    return response


@router.get("/setup", dependencies=[Public])
async def show_set_up(request: Request, token: str = "") -> Response:
    return render(request, "set_up.html", token=token, name="", error=None)


@router.post("/setup", dependencies=[PublicForm])
async def submit_set_up(
    request: Request, kept: KeptDep, token: Text = "", name: Text = "", password: Text = ""
) -> Response:
    try:
        await limit_set_ups(kept, request)
        await set_up(kept.database, kept.passwords, secret=token, name=name, password=password, now=kept.now())
        signed_in = await start_session(kept, request, name, password)
    except KeptError as error:
        return render(request, "set_up.html", error.http_status, token=token, name=name, error=error.message)
    response = go_to("/")
    set_session_cookie(response, request, kept, signed_in)
    return response
