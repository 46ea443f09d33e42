"""Authentication of requests, and the access policy that each route must declare.

A route takes a `Reader`, `Finder`, `Saver`, `Writer` or `Admin` (a Viewer whose credential has such a scope), or is
declared `public`. `require_policies` refuses to build an application with a route that does neither.
"""

from collections.abc import Awaitable, Callable, Iterator
from typing import Annotated, Final
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from fastapi.security import APIKeyCookie, HTTPBearer

from kept.api.middleware import DEVICE_COOKIE, SECURE_DEVICE_COOKIE, SECURE_SESSION_COOKIE, SESSION_COOKIE
from kept.domain.account import Scope, Viewer
from kept.domain.errors import Forbidden, Unauthorized
from kept.services.accounts.sessions import authenticate
from kept.wiring.server import Kept

# Names the user a page was made for. The page sends it with its requests, so that what a service worker sends later
# never counts as done by somebody who has signed in since.
USER_HEADER: Final = "Kept-User"
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

bearer = HTTPBearer(auto_error=False, description="An API token: kept_…")
session_cookie = APIKeyCookie(name=SESSION_COOKIE, auto_error=False, description="A web session")


async def get_kept(request: Request) -> Kept:
    """Return what services are called with. It is async since FastAPI would run a plain function in a thread."""
    kept: Kept = request.app.state.kept
    return kept


KeptDep = Annotated[Kept, Depends(get_kept)]


async def find_viewer(request: Request) -> Viewer | None:
    """Return the viewer, or None without a valid credential. A cookie may change something only from our own pages.

    It depends on the request alone: each nested dependency costs about as much time as a database look-up.
    """
    kept = await get_kept(request)
    credentials = await bearer(request)
    token = credentials.credentials if credentials else None
    session = None if token else request.cookies.get(session_cookie_name(request, kept))
    if session and request.method not in SAFE_METHODS:
        require_same_origin(request, kept)
    viewer = await authenticate(
        kept.database, token=token, session=session, session_valid_for=kept.session_valid_for, now=kept.now()
    )
    meant = request.headers.get(USER_HEADER)
    found = viewer if viewer is None or not meant or meant == str(viewer.user_id) else None
    request.state.viewer = found  # for an error page, which is in the viewer's language
    return found


MaybeViewer = Annotated[Viewer | None, Depends(find_viewer)]


FindViewer = Callable[[Request], Awaitable[Viewer | None]]


def require_scope(*scopes: Scope, find: FindViewer = find_viewer) -> Callable[[Request], Awaitable[Viewer]]:
    """Return the policy of a route that a credential with any one of these scopes may call."""

    async def policy(request: Request) -> Viewer:
        viewer = await find(request)
        if viewer is None:
            raise Unauthorized
        if not any(map(viewer.may, scopes)):
            raise Forbidden("This requires the scope %(scopes)s.", scopes=" or ".join(scopes))
        return viewer

    return policy


async def public() -> None:
    """The policy of a route that anybody may call."""


async def public_form(request: Request, kept: KeptDep) -> None:
    """The policy of a form that anybody may send, but only from our own pages."""
    require_same_origin(request, kept)


read_policy = require_scope(Scope.READ)
find_policy = require_scope(Scope.READ, Scope.SAVE)
save_policy = require_scope(Scope.SAVE)
write_policy = require_scope(Scope.WRITE)
admin_policy = require_scope(Scope.ADMIN)

Reader = Annotated[Viewer, Depends(read_policy)]
Finder = Annotated[Viewer, Depends(find_policy)]
Saver = Annotated[Viewer, Depends(save_policy)]
Writer = Annotated[Viewer, Depends(write_policy)]
Admin = Annotated[Viewer, Depends(admin_policy)]
Public = Depends(public)
PublicForm = Depends(public_form)

POLICIES: Final[dict[object, str]] = {
    read_policy: "read",
    find_policy: "read or save",
    save_policy: "save",
    write_policy: "write",
    admin_policy: "admin",
    public: "public",
    public_form: "public form",
}


def api_routes(app: FastAPI) -> Iterator[RouteContext]:
    """Return every API route with its full path, including those of included routers."""
    return (route for route in iter_route_contexts(app.routes) if isinstance(route.original_route, APIRoute))


def policy_of(route: RouteContext) -> str | None:
    found = {POLICIES[call] for call in calls_of(route.dependant) if call in POLICIES}
    return found.pop() if len(found) == 1 else None


def calls_of(dependant: Dependant) -> list[object]:
    nested = [call for dependency in dependant.dependencies for call in calls_of(dependency)]
    return [dependant.call, *nested]


def require_policies(app: FastAPI) -> None:
    for route in api_routes(app):
        if policy_of(route) is None:
            raise RuntimeError(f"{route.methods} {route.path} must declare exactly one policy")


# --- cookies and cross-site requests --------------------------------------------------------------------------


def is_https(request: Request, kept: Kept) -> bool:
    return request.url.scheme == "https" or (kept.settings.public_url or "").startswith("https://")


def session_cookie_name(request: Request, kept: Kept) -> str:
    """Name the session cookie: a `__Host-` one, which no neighbouring site can set, needs HTTPS."""
    return SECURE_SESSION_COOKIE if is_https(request, kept) else SESSION_COOKIE


def device_cookie_name(request: Request, kept: Kept) -> str:
    return SECURE_DEVICE_COOKIE if is_https(request, kept) else DEVICE_COOKIE


def require_same_origin(request: Request, kept: Kept) -> None:
    """Refuse a change that another site's page sends with our cookie (CSRF).

    Browsers send Sec-Fetch-Site only on HTTPS and localhost; on plain HTTP in a home network the Origin header is used.
    A request with neither is refused: only scripts send such requests, and scripts use tokens.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        allowed = site in {"same-origin", "none"}
    else:
        allowed = request.headers.get("origin") in own_origins(request, kept)
    if not allowed:
        raise Forbidden("This request did not come from one of Kept's own pages.")


def own_origins(request: Request, kept: Kept) -> set[str]:
    if kept.settings.public_url:
        parts = urlsplit(kept.settings.public_url)
        return {f"{parts.scheme}://{parts.netloc}"}
    host = request.state.sent_host
    return {f"http://{host}", f"https://{host}"} if host else set()
