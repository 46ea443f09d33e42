"""Reading offline: the service worker's script, and the page that it shows when there is no connection.

Neither says anything about a user: the page is the same for everybody, and is stored in browsers.
"""

import json
from typing import Final

from fastapi import APIRouter, Request, Response

from kept.api.access import Public
from kept.web.assets import ASSETS, FOLDER, read_text
from kept.web.rendering import render

router = APIRouter()

STORED_TYPES: Final = frozenset({".css", ".js", ".svg", ".woff2"})
WORKER: Final = "sw.js"
VERSION: Final = ASSETS.rpartition("/")[2]


def list_shell() -> list[str]:
    """What pages need besides their own HTML."""
    names = sorted(path.name for path in FOLDER.iterdir() if path.suffix in STORED_TYPES and path.name != WORKER)
    return ["/offline", *(f"{ASSETS}/{name}" for name in names)]


@router.get(f"/{WORKER}", dependencies=[Public])
async def show_worker() -> Response:
    """At the root, since a worker's scope is its folder. Browsers install it anew when its bytes change, so with every
    change of a static file."""
    known = f"const VERSION = {json.dumps(VERSION)};\nconst SHELL = {json.dumps(list_shell())};\n"
    script = known + read_text(FOLDER / WORKER)
    return Response(script, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


@router.get("/offline", dependencies=[Public])
async def show_offline(request: Request) -> Response:
    return render(request, "offline.html")
