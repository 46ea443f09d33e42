"""Reading offline: the service worker's script, and the page that it shows when there is no connection.

Neither says anything about a user: except for its language the page is the same for everybody, and browsers store it.
"""

import json
from typing import Final

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, MaybeViewer, Public
from kept.web.assets import ASSETS, FOLDER, FONTS, find_asset, read_text
from kept.web.rendering import begin_visit, render

router = APIRouter(include_in_schema=False)

STORED_TYPES: Final = frozenset({".css", ".js", ".svg", ".woff2"})
WORKER: Final = "sw.js"
VERSION: Final = ASSETS.rpartition("/")[2]
MAX_ARTICLES: Final = 50


def list_shell() -> list[str]:
    """Return the URLs of what pages need besides their own HTML."""
    names = sorted(path.name for path in FOLDER.iterdir() if path.suffix in STORED_TYPES and path.name != WORKER)
    fonts = [f"fonts/{name}.woff2" for name in sorted(FONTS)]
    return ["/offline", *(f"{ASSETS}/{name}" for name in [*names, *fonts])]


@router.get(f"/{WORKER}", dependencies=[Public])
async def show_worker() -> Response:
    """Serve the service worker at the root, since its scope is its folder. Browsers install it anew when its bytes
    change, and so with every change of a static file."""
    known = {"VERSION": VERSION, "SHELL": list_shell(), "MAX_ARTICLES": MAX_ARTICLES}
    constants = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in known.items())
    script = constants + read_text(find_asset(WORKER))
    return Response(script, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


@router.get("/offline", dependencies=[Public])
async def show_offline(request: Request, viewer: MaybeViewer, kept: KeptDep) -> Response:
    """Render the page in the language of the user who is signed in when the browser stores it."""
    if viewer is not None:
        await begin_visit(request, viewer, kept)
    return render(request, "offline.html")
