"""The apps that work with Kept, and what to type into each. Pure."""

from dataclasses import dataclass
from typing import Final

from kept.domain.account import Scope

BY_PASSWORD: Final = "Any user name; the token is the password."  # noqa: S105
BY_TOKEN: Final = "The token."  # noqa: S105


@dataclass(frozen=True, slots=True)
class App:
    id: str
    name: str
    path: str
    """What comes after this server's address."""
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
        "E-readers",
        (
            App(
                "koreader-readeck",
                "KOReader, Readeck plugin",
                "/readeck",
                "Authorize with a code, or enter the token.",
                "Readeck, Settings, Server. Reads, archives, and keeps highlights in step.",
            ),
            App(
                "koreader-wallabag",
                "KOReader, wallabag plugin",
                "/wallabag",
                BY_PASSWORD,
                "Wallabag, Settings, Configure Wallabag server.",
            ),
            App(
                "koreader-opds",
                "KOReader, OPDS catalogue",
                "/opds",
                BY_PASSWORD,
                "OPDS catalog, plus sign. Any other reader of OPDS catalogues works the same way.",
                Scope.READ,
            ),
        ),
    ),
    AppFamily(
        "Phones",
        (
            App(
                "readeck-apps",
                "Readeck apps (Android, iOS)",
                "/readeck",
                "The app opens Kept to be let in.",
                "The server's address, on the first screen.",
            ),
            App(
                "wallabag-android",
                "wallabag for Android",
                "/wallabag",
                BY_PASSWORD,
                "The connection wizard, own server.",
            ),
            App("wallabag-ios", "wallabag for iOS", "/wallabag", BY_PASSWORD, "The server, on the first screen."),
            App("linkdy", "Linkdy", "/linkding", BY_TOKEN, "The server, on the first screen."),
        ),
    ),
    AppFamily(
        "Browsers",
        (
            App("wallabagger", "Wallabagger", "/wallabag", BY_PASSWORD, "The extension's options."),
            App("linkding-extension", "linkding extension", "/linkding", BY_TOKEN, "The extension's options."),
            App(
                "singlefile",
                "SingleFile",
                "/linkding/api/bookmarks/singlefile/",
                "The token, as the authorization token of the REST form API.",
                "Options, Destination, upload to a REST Form API; the fields are called url and file.",
            ),
        ),
    ),
    AppFamily(
        "Feed readers and assistants",
        (
            App(
                "miniflux",
                "Miniflux",
                "/readeck",
                "The token, as the API key.",
                "Settings, Integrations, Readeck.",
            ),
            App(
                "mcp",
                "Assistants (MCP)",
                "/mcp",
                "The token, as bearer token.",
                "Where the assistant lists its MCP servers; the kind is HTTP. On this machine: kept mcp.",
            ),
        ),
    ),
)
APPS: Final = {app.id: app for family in FAMILIES for app in family.apps}
