"""Error pages for browsers. Scripts, and everything under /api, get the JSON envelope."""

import json
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Scope

from kept.api.access import find_viewer, get_kept, require_same_origin
from kept.api.errors import envelope_handlers, message_of
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, KeptError
from kept.domain.message import Message
from kept.domain.preferences import DEFAULTS
from kept.web.i18n import ENGLISH, N_, Language, choose_language, current_language, writing_in
from kept.web.messages import tell
from kept.web.rendering import FRAGMENT_HEADER, begin_visit, go_to, language_of, render, wants_fragment, write_page

log = structlog.get_logger("kept.web")

Handler = Callable[[Request, Exception], Awaitable[Response]]

SIGNED_OUT: Final = N_("You were signed out. Sign in to go on; what you typed is kept.")
SECRET_FIELDS: Final = frozenset({"password", "current", "new", "token"})
HEADINGS: Final = {
    400: N_("Invalid request"),
    401: N_("Not signed in"),
    403: N_("Not allowed"),
    404: N_("Page not found"),
    409: N_("Not possible right now"),
    413: N_("Too large"),
    429: N_("Too many requests"),
    503: N_("Temporarily unavailable"),
}


def install_error_pages(app: FastAPI) -> None:
    for error, answer in envelope_handlers().items():
        app.add_exception_handler(error, page_or(answer))


def page_or(answer: Handler) -> Handler:
    async def handle(request: Request, error: Exception) -> Response:
        response = await answer(request, error)
        if not wants_page(request.scope):
            return await translate_envelope(request, response, error) if wants_fragment(request) else response
        if response.status_code == 401:
            return await ask_to_sign_in(request)
        page = list_values(request.state.request_id, response.status_code, message_on_page(request, error))
        shown = await show_error(request, response.status_code, page)
        for name in ("retry-after", "allow"):
            if name in response.headers:
                shown.headers[name] = response.headers[name]
        return shown

    return handle


async def find_language(request: Request) -> Language:
    """Return the viewer's language, even if the error came before the visit began."""
    viewer: Viewer | None = getattr(request.state, "viewer", None)
    if viewer is not None and not hasattr(request.state, "language"):
        await begin_visit(request, viewer, request.app.state.kept)
    return language_of(request)


async def translate_envelope(request: Request, response: Response, error: Exception) -> Response:
    """Translate the message of a JSON error, which our scripts show as it is."""
    language = await find_language(request)
    envelope = json.loads(bytes(response.body))
    with writing_in(language):
        envelope["error"]["message"] = explain(message_of(request, error))
    kept = {name: value for name, value in response.headers.items() if not name.startswith("content-")}
    return JSONResponse(envelope, response.status_code, kept | {"Content-Language": language.tag})


def explain(message: str | Message) -> str:
    """Write a message in the page's language. One without a translation is for programmers: it becomes general."""
    told = tell(message)
    return told if told != str(message) or current_language() is ENGLISH else tell(InvalidRequest().told)


async def show_error(request: Request, status: int, page: dict[str, object]) -> Response:
    """Render the error page with the menu and theme of the signed-in user, unless finding them is what fails."""
    try:
        viewer = await find_viewer(request)
        visit = await begin_visit(request, viewer, await get_kept(request)) if viewer else None
    except KeptError:  # a form of another site, which must not learn who is signed in
        visit = None
    except Exception:
        log.warning("web.error_page_without_viewer", exc_info=True)
        visit = None
    if visit is None:
        return render(request, "error.html", status, **page)
    return visit.render("error.html", status, **page)


async def ask_to_sign_in(request: Request) -> Response:
    """Show the sign-in page. A form sent after its session ended is kept, to be sent again after signing in."""
    if request.method != "POST":
        return go_to("/sign-in", next=request_path(request))
    typed = await read_typed(request)
    shown = {
        "name": "",
        "next": "/",
        "error": SIGNED_OUT,
        "resume": request_path(request) if typed else "",
        "typed": typed,
    }
    return render(request, "sign_in.html", 401, **shown)


async def read_typed(request: Request) -> list[tuple[str, str]]:
    """Return the fields of one of our own forms, without passwords and files."""
    try:
        require_same_origin(request, request.app.state.kept)
        form = await request.form()
    except (KeptError, HTTPException):
        return []
    return [(name, value) for name, value in form.multi_items() if isinstance(value, str) and name not in SECRET_FIELDS]


def message_on_page(request: Request, error: Exception) -> Message:
    """Return our own message; one of the framework's, which is for programmers, becomes a general one."""
    match error:
        case KeptError() | RequestValidationError() | HTTPException(status_code=404):
            return message_of(request, error)
        case _:
            return InvalidRequest().told


def wants_page(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    is_page = not scope["path"].startswith("/api/") and FRAGMENT_HEADER not in headers
    return is_page and "text/html" in headers.get("accept", "")


def request_path(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def list_values(request_id: str, status: int, message: str | Message) -> dict[str, object]:
    return {
        "number": status,
        "heading": HEADINGS.get(status, N_("Something went wrong")),
        "message": message,
        "explain": explain,
        "request_id": request_id,
    }


def error_page(scope: Scope, status: int, message: str, request_id: str) -> str | None:
    """Render an error that no handler answered, for the middleware; None where the JSON envelope is wanted."""
    if not wants_page(scope):
        return None
    language = choose_language("", Headers(scope=scope).get("accept-language", ""))
    values = list_values(request_id, status, message)
    return write_page("error.html", language, {"viewer": None, "preferences": DEFAULTS, "missing": None, **values})
