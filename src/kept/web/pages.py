"""The web pages: set-up, sign-in, the library. Each parses its form, calls a service and renders a template."""

from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, FastAPI, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates

from kept.api.access import KeptDep, MaybeViewer, Public, PublicForm
from kept.api.routes.account import clear_session_cookie, limit_sign_ins, set_session_cookie, start_session
from kept.domain.errors import KeptError
from kept.services import manage_sessions
from kept.services.manage_library import list_libraries
from kept.services.set_up import set_up

HERE: Final = Path(__file__).parent
templates: Final = Jinja2Templates(HERE / "templates")

router = APIRouter(include_in_schema=False)


def mount_static_files(app: FastAPI) -> None:
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")


def render(request: Request, template: str, status: int = 200, **values: object) -> HTMLResponse:
    return templates.TemplateResponse(request, template, values, status_code=status)


def go_to(path: str) -> RedirectResponse:
    return RedirectResponse(path, status_code=303)


@router.get("/", dependencies=[Public])
async def show_library(request: Request, viewer: MaybeViewer, kept: KeptDep) -> Response:
    if viewer is None:
        return go_to("/sign-in")
    found = await list_libraries(kept.database, viewer)
    return render(request, "library.html", viewer=viewer, libraries=[library for library, _ in found])


@router.get("/sign-in", dependencies=[Public])
async def show_sign_in(request: Request) -> Response:
    return render(request, "sign_in.html", name="", error=None)


@router.post("/sign-in", dependencies=[PublicForm])
async def submit_sign_in(
    request: Request, kept: KeptDep, name: Annotated[str, Form()] = "", password: Annotated[str, Form()] = ""
) -> Response:
    try:
        signed_in = await start_session(kept, request, name, password)
    except KeptError as error:
        return render(request, "sign_in.html", error.http_status, name=name, error=error.message)
    response = go_to("/")
    set_session_cookie(response, request, kept, signed_in)
    return response


@router.post("/sign-out", dependencies=[PublicForm])
async def submit_sign_out(request: Request, viewer: MaybeViewer, kept: KeptDep) -> Response:
    if viewer is not None and viewer.session_id is not None:
        await manage_sessions.end_session(kept.database, viewer, viewer.session_id)
    response = go_to("/sign-in")
    clear_session_cookie(response, request, kept)
    return response


@router.get("/setup", dependencies=[Public])
async def show_set_up(request: Request, token: str = "") -> Response:
    return render(request, "set_up.html", token=token, name="", error=None)


@router.post("/setup", dependencies=[PublicForm])
async def submit_set_up(
    request: Request,
    kept: KeptDep,
    token: Annotated[str, Form()] = "",
    name: Annotated[str, Form()] = "",
    password: Annotated[str, Form()] = "",
) -> Response:
    try:
        await limit_sign_ins(kept, request, "setup")
        await set_up(kept.database, kept.passwords, secret=token, name=name, password=password, now=kept.now())
        signed_in = await start_session(kept, request, name, password)
    except KeptError as error:
        return render(request, "set_up.html", error.http_status, token=token, name=name, error=error.message)
    response = go_to("/")
    set_session_cookie(response, request, kept, signed_in)
    return response
