"""The page *Apps*: what to type into each app that works with Kept, with a QR code, and a token made on the spot."""

from typing import Final

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from kept.api.access import KeptDep, Writer
from kept.domain.account import INCLUDED
from kept.domain.errors import NotFound
from kept.services.accounts.tokens import create_token
from kept.web.app_list import APPS, FAMILIES
from kept.web.bookmarklet import public_origin
from kept.web.rendering import Visit, Visiting, begin_visit

router = APIRouter(include_in_schema=False)

# White around it, whatever the theme: a camera needs the border.
QR: Final = {"scale": 4, "border": 3, "dark": "#000", "light": "#fff", "omitsize": True}


@router.get("/apps")
async def show_apps(visit: Visiting) -> Response:
    return render_apps(visit)


@router.post("/apps/{app_id}")
async def submit_app(request: Request, viewer: Writer, kept: KeptDep, app_id: str) -> Response:
    """The new token is shown in this response only: it is in no URL, no log and no cache."""
    app = APPS.get(app_id)
    if app is None:
        raise NotFound
    scopes = INCLUDED[app.scope]
    _, secret = await create_token(kept.database, viewer, name=app.token_name, scopes=scopes, now=kept.now())
    response = render_apps(await begin_visit(request, viewer, kept), app_id, secret)
    response.headers["Cache-Control"] = "no-store"
    return response


def render_apps(visit: Visit, chosen: str | None = None, secret: str | None = None) -> Response:
    origin = public_origin(visit)
    urls = {app.id: origin + app.path for app in APPS.values()}
    codes = {url: draw_code(url) for url in set(urls.values())}
    shown = {"families": FAMILIES, "urls": urls, "codes": codes, "chosen": chosen, "secret": secret}
    return visit.render("apps.html", 200, **shown, notice=None, secret_code=draw_code(secret) if secret else None)


def draw_code(text: str) -> Markup:
    """As SVG in the page itself: no other program is asked to draw somebody's token."""
    import segno  # here alone: few ever see a code

    return Markup(segno.make(text, micro=False).svg_inline(**QR))  # noqa: S704  drawn here, of squares alone
