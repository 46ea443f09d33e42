"""The web app manifest in the language of the page that names it: browsers ask for it without cookies."""

import json
from functools import cache

from fastapi import APIRouter, Response

from kept.api.access import Public
from kept.web.assets import FOLDER, FOR_A_DAY
from kept.web.i18n import ENGLISH, LANGUAGES, Language, _, writing_in

router = APIRouter(include_in_schema=False)


@router.get("/kept.webmanifest", dependencies=[Public])
async def show_manifest(lang: str = "") -> Response:
    language = LANGUAGES.get(lang, ENGLISH)
    headers = {"Cache-Control": FOR_A_DAY, "Content-Language": language.tag}
    return Response(write_manifest(language), media_type="application/manifest+json", headers=headers)


@cache
def write_manifest(language: Language) -> bytes:
    manifest = json.loads((FOLDER / "kept.webmanifest").read_bytes())
    with writing_in(language):
        manifest |= {
            "lang": language.tag,
            "dir": language.direction,
            "description": _("Save a link, see it at once, keep the page for good."),
            "shortcuts": [{"name": _("Add link"), "url": "/add"}],
        }
    return json.dumps(manifest, ensure_ascii=False).encode()
