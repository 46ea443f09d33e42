"""Set-up, sign-in and sign-out."""

from typing import Annotated, Final

from fastapi import APIRouter, Form, Request, Response

from kept.api.access import KeptDep, MaybeViewer, Public, PublicForm
from kept.api.sessions import clear_session_cookie, limit_set_ups, set_session_cookie, start_session
from kept.domain.errors import KeptError
from kept.services.accounts.sessions import end_session
from kept.services.accounts.users import is_set_up, set_up
from kept.web.rendering import go_to, local_path, no_content, render, wants_fragment

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]


TYPED: Final = "typed."
"""The prefix of the names of fields that are sent again after signing in."""


@router.get("/sign-in", dependencies=[Public])
async def show_sign_in(request: Request, kept: KeptDep, next: str = "/") -> Response:
    """Show the sign-in page, or before there is an account the page that creates the first one."""
    if not await kept.read(is_set_up):
        return go_to("/setup")
    return render(request, "sign_in.html", name="", next=local_path(next), error=None, resume="", typed=())


@router.post("/sign-in", dependencies=[PublicForm])
async def submit_sign_in(
    request: Request, kept: KeptDep, name: Text = "", password: Text = "", next: Text = "/", resume: Text = ""
) -> Response:
    """Sign in. `resume` is the URL of a form that was sent after its session had ended; its fields come along."""
    typed = await read_typed(request)
    try:
        signed_in = await start_session(kept, request, name, password)
    except KeptError as error:
        if wants_fragment(request):
            raise
        shown = {"name": name, "next": local_path(next), "resume": resume, "typed": typed, "error": error.told}
        return render(request, "sign_in.html", error.http_status, **shown)
    response: Response
    if wants_fragment(request):
        response = no_content()
    elif resume:
        response = render(request, "resume.html", resume=local_path(resume), typed=typed)
    else:
        response = go_to(local_path(next))
    set_session_cookie(response, request, kept, signed_in)
    return response


async def read_typed(request: Request) -> list[tuple[str, str]]:
    fields = (await request.form()).multi_items()
    return [
        (name.removeprefix(TYPED), value) for name, value in fields if name.startswith(TYPED) and isinstance(value, str)
    ]


@router.post("/sign-out", dependencies=[PublicForm])
async def submit_sign_out(request: Request, viewer: MaybeViewer, kept: KeptDep) -> Response:
    if viewer is not None and viewer.session_id is not None:
        await kept.write(end_session, viewer, viewer.session_id)
    response = go_to("/sign-in")
    response.headers["Clear-Site-Data"] = '"cache"'
    clear_session_cookie(response, request, kept)
    return response


@router.get("/setup", dependencies=[Public])
async def show_set_up(request: Request, kept: KeptDep, token: str = "") -> Response:
    """Show the set-up page; once there is an account, go to the library, since logs and histories keep the link."""
    if await kept.read(is_set_up):
        return go_to("/")
    return render(request, "set_up.html", token=token, name="", error=None)


@router.post("/setup", dependencies=[PublicForm])
async def submit_set_up(
    request: Request, kept: KeptDep, token: Text = "", name: Text = "", password: Text = ""
) -> Response:
    try:
        await limit_set_ups(kept, request)
        secret = find_setup_secret(token)
        await set_up(kept.database, kept.passwords, secret=secret, name=name, password=password, now=kept.now())
        signed_in = await start_session(kept, request, name, password)
    except KeptError as error:
        return render(request, "set_up.html", error.http_status, token=token, name=name, error=error.told)
    response = go_to("/")
    set_session_cookie(response, request, kept, signed_in)
    return response


def find_setup_secret(text: str) -> str:
    """Return the token of a set-up link, which may also be given without the link."""
    return text.strip().rpartition("token=")[2].partition("&")[0]
