"""One form of each path of other programs' APIs: their clients write `/entries`, `/entries/` and `/entries.json`. No
form is redirected to another: some clients would lose their credentials, or their body."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

PREFIXES: Final = ("/wallabag", "/linkding", "/readeck", "/opds", "/mcp")
# The APIs whose clients ask for JSON by the end of a path.
WITH_JSON: Final = ("/wallabag", "/linkding")
JSON: Final = ".json"
# This is a file's name, not a way to ask for JSON.
FILE: Final = "/export.json"


class PathForms:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(PREFIXES):
            scope["path"] = normalise_form(scope["path"])  # in place: outer middleware reads this scope
        await self.app(scope, receive, send)


def normalise_form(path: str) -> str:
    """Remove a slash at the end, and `.json` where it asks for JSON."""
    path = path.rstrip("/")
    is_file = not path.startswith(WITH_JSON) or path.endswith(FILE)
    return path if is_file else path.removesuffix(JSON)
