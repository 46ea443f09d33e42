"""The page *Apps*: what to type into each app that works with Kept, with a QR code, and a token made on the spot."""

from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from kept.api.access import KeptDep, Writer
from kept.domain.account import INCLUDED, Scope
from kept.domain.errors import NotFound
from kept.services.accounts.tokens import create_token
from kept.web.adding import public_origin
from kept.web.i18n import N_
from kept.web.rendering import Visit, Visiting, begin_visit

BY_PASSWORD: Final = N_("Any user name; the token is the password.")
BY_TOKEN: Final = N_("The token.")


@dataclass(frozen=True, slots=True)
class App:
    id: str
    name: str
    path: str
    """The path of the app's API on this server."""
    sign_in: str
    where: str
    """Where in the app it is typed in."""
    scope: Scope = Scope.WRITE

    @property
    def token_name(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class AppFamily:
    name: str
    apps: tuple[App, ...]


FAMILIES: Final = (
    AppFamily(
        N_("E-readers"),
        (
            App(
                "koreader-readeck",
                N_("KOReader, Readeck plugin"),
                "/readeck",
                N_("Authorize with a code, or enter the token."),
                N_("Readeck, Settings, Server. Reads, archives, and keeps highlights in step."),
            ),
            App(
                "koreader-wallabag",
                N_("KOReader, wallabag plugin"),
                "/wallabag",
                BY_PASSWORD,
                N_("Wallabag, Settings, Configure Wallabag server."),
            ),
            App(
                "koreader-opds",
                N_("KOReader, OPDS catalogue"),
                "/opds",
                BY_PASSWORD,
                N_("OPDS catalog, plus sign. Any other reader of OPDS catalogues works the same way."),
                Scope.READ,
            ),
        ),
    ),
    AppFamily(
        N_("Phones"),
        (
            App(
                "readeck-apps",
                N_("Readeck apps (Android, iOS)"),
                "/readeck",
                N_("The app opens Kept to be let in."),
                N_("The server's address, on the first screen."),
            ),
            App(
                "wallabag-android",
                N_("wallabag for Android"),
                "/wallabag",
                BY_PASSWORD,
                N_("The connection wizard, own server."),
            ),
            App(
                "wallabag-ios", N_("wallabag for iOS"), "/wallabag", BY_PASSWORD, N_("The server, on the first screen.")
            ),
            App("linkdy", "Linkdy", "/linkding", BY_TOKEN, N_("The server, on the first screen.")),
        ),
    ),
    AppFamily(
        N_("Browsers"),
        (
            App("wallabagger", "Wallabagger", "/wallabag", BY_PASSWORD, N_("The extension's options.")),
            App("linkding-extension", N_("linkding extension"), "/linkding", BY_TOKEN, N_("The extension's options.")),
            App(
                "singlefile",
                "SingleFile",
                "/linkding/api/bookmarks/singlefile/",
                N_("The token, as the authorization token of the REST form API."),
                N_("Options, Destination, upload to a REST Form API; the fields are called url and file."),
            ),
        ),
    ),
    AppFamily(
        N_("Feed readers and assistants"),
        (
            App(
                "miniflux",
                "Miniflux",
                "/readeck",
                N_("The token, as the API key."),
                N_("Settings, Integrations, Readeck."),
            ),
            App(
                "mcp",
                N_("Assistants (MCP)"),
                "/mcp",
                N_("The token, as bearer token."),
                N_("Where the assistant lists its MCP servers; the kind is HTTP. On this machine: kept mcp."),
            ),
        ),
    ),
)
APPS: Final = {app.id: app for family in FAMILIES for app in family.apps}


# --- the page ---------------------------------------------------------------------------------------------------------


router = APIRouter(include_in_schema=False)

# The code has a white border in every theme: a camera needs it.
QR: Final = {"scale": 4, "border": 3, "dark": "#000", "light": "#fff", "omitsize": True}


@router.get("/apps")
async def show_apps(visit: Visiting) -> Response:
    return render_apps(visit)


@router.post("/apps/{app_id}")
async def submit_app(request: Request, viewer: Writer, kept: KeptDep, app_id: str) -> Response:
    """Create a token, which is shown in this response only: it is in no URL, no log and no cache."""
    app = APPS.get(app_id)
    if app is None:
        raise NotFound
    scopes = INCLUDED[app.scope]
    _, secret = await kept.write(create_token, viewer, name=app.token_name, scopes=scopes, now=kept.now())
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
    """Draw a QR code as inline SVG: no other program is asked to draw somebody's token."""
    import segno  # imported here, since few people ever see a code

    return Markup(segno.make(text, micro=False).svg_inline(**QR))  # noqa: S704  drawn here, of squares alone
