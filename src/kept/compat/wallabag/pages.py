"""The pages that set up the Android app, which reads them as wallabag's own (docs/apps.md). A sign-in here only shows
the next page, on which nothing is secret: Kept accepts any client."""

from html import escape
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from kept.api.access import KeptDep, Public
from kept.api.middleware import WALLABAG_COOKIE
from kept.api.sessions import client_of
from kept.compat.answering import base_url
from kept.compat.fields import FieldsDep
from kept.compat.wallabag.answers import ROOT
from kept.domain.account import Viewer
from kept.domain.errors import RateLimited
from kept.services.accounts.apps import limit_app_sign_in
from kept.services.accounts.tokens import APP_KINDS, authenticate_token
from kept.wiring.server import Kept

router = APIRouter(default_response_class=HTMLResponse)

CLIENT_ID: Final = "1_kept"
CLIENT_SECRET: Final = "kept"  # noqa: S105  the same for everybody, and Kept does not look at it
# The app looks for this field. It protects nothing: no form here can do anything in somebody's name.
FORM_MARK: Final = "kept"
LOGO: Final = '<img src="/static/kept.svg" width="48" height="48" alt="wallabag logo" />'
PAGE: Final = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title></head>
<body>
{logo}
<h1>{title}</h1>
{body}
</body>
</html>
"""
LOGIN: Final = """{error}
<p>For wallabag's apps. The password is an API token, which you make in Kept under “Account”.</p>
<form action="{base}/login_check" method="post" name="loginform">
<p><label>User name <input type="text" name="_username" autocomplete="username" /></label></p>
<p><label>API token <input type="password" name="_password" autocomplete="current-password" /></label></p>
<input type="hidden" name="_csrf_token" value="{mark}" />
<p><button type="submit">Sign in</button></p>
</form>
"""
HOME: Final = """<p>You can close this page and go on in the app.</p>
<p><a href="{base}/developer">Client for apps</a> · <a href="{base}/logout">Sign out</a></p>
"""
DEVELOPER: Final = """<p>The address of this server is <code>{base}</code>. The password is an API token of Kept.</p>
<ul>
<li>
<div class="collapsible-header">Android app - #1</div>
<div class="collapsible-body">
<table>
<tr><td>Client ID</td><td><strong><code>{client_id}</code></strong></td></tr>
<tr><td>Client secret</td><td><strong><code>{secret}</code></strong></td></tr>
<tr><td>Redirect URIs</td><td><strong><code></code></strong></td></tr>
<tr><td>Grant types</td><td><strong><code>token, refresh_token, password</code></strong></td></tr>
</table>
<!-- the app looks for a link to {base}/developer/client/delete/1 -->
</div>
</li>
</ul>
<p><a href="{base}/logout">Sign out</a></p>
"""


@router.get("", dependencies=[Public])
async def get_home(request: Request, kept: KeptDep) -> Response:
    return home_page(request, kept) if is_signed_in(request) else login_page(request, kept)


@router.get("/login", dependencies=[Public])
async def get_login(request: Request, kept: KeptDep) -> Response:
    return login_page(request, kept)


@router.post("/login_check", dependencies=[Public])
async def post_login(fields: FieldsDep, request: Request, kept: KeptDep) -> Response:
    token = (fields.text("_password") or "").strip()

    async def attempt() -> Viewer | None:
        return await authenticate_token(kept.database, token, APP_KINDS, now=kept.now())

    try:
        viewer = await limit_app_sign_in(kept.rate_limits, client_of(request), attempt)
    except RateLimited as error:
        return login_page(request, kept, error.message)
    if viewer is None:
        return login_page(request, kept, "This is not a valid API token.")
    page = home_page(request, kept)
    page.set_cookie(WALLABAG_COOKIE, "signed-in", path=ROOT, httponly=True, samesite="lax", max_age=3600)
    return page


@router.get("/logout", dependencies=[Public])
async def get_logout(request: Request, kept: KeptDep) -> Response:
    page = login_page(request, kept)
    page.delete_cookie(WALLABAG_COOKIE, path=ROOT)
    return page


@router.get("/developer", dependencies=[Public])
async def get_developer(request: Request, kept: KeptDep) -> Response:
    if not is_signed_in(request):
        return login_page(request, kept)
    base = escape(base_url(request, kept, ROOT))
    return show("API clients", DEVELOPER.format(base=base, client_id=CLIENT_ID, secret=CLIENT_SECRET))


def is_signed_in(request: Request) -> bool:
    return WALLABAG_COOKIE in request.cookies


def login_page(request: Request, kept: Kept, error: str | None = None) -> Response:
    told = f'<p role="alert">{escape(error)}</p>' if error else ""
    body = LOGIN.format(base=escape(base_url(request, kept, ROOT)), mark=FORM_MARK, error=told)
    return show("Sign in to Kept", body)


def home_page(request: Request, kept: Kept) -> Response:
    return show("Kept", HOME.format(base=escape(base_url(request, kept, ROOT))))


def show(title: str, body: str) -> Response:
    page = PAGE.format(title=escape(title), body=body, logo=LOGO)
    return HTMLResponse(page, headers={"Cache-Control": "no-store"})
