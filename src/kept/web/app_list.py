"""The apps that work with Kept, and what to type into each. Pure."""

from dataclasses import dataclass
from typing import Final

from kept.domain.account import Scope
from kept.web.i18n import N_

BY_PASSWORD: Final = N_("Any user name; the token is the password.")
BY_TOKEN: Final = N_("The token.")


@dataclass(frozen=True, slots=True)
class App:
    id: str
    name: str
    path: str
    """What comes after this server's URL."""
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
