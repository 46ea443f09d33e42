"""One form of each path of other programs' APIs: their clients write `/entries`, `/entries/` and `/entries.json`.

None of them may be led to another by a redirect: some clients then lose their credentials, or their body.
"""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

PREFIXES: Final = ("/wallabag", "/linkding", "/readeck", "/opds", "/mcp")
# The programs that ask for JSON by the end of a path.
WITH_JSON: Final = ("/wallabag", "/linkding")
JSON: Final = ".json"
# A file's name, and not a way to ask for JSON.
FILE: Final = "/export.json"


class PathForms:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(PREFIXES):
            scope["path"] = normalise_form(scope["path"])  # in place: what is outside asks this scope for the route
        await self.app(scope, receive, send)


def normalise_form(path: str) -> str:
    """Without a slash at its end, and without `.json` where that asks for JSON."""
    path = path.rstrip("/")
    is_file = not path.startswith(WITH_JSON) or path.endswith(FILE)
    return path if is_file else path.removesuffix(JSON)
