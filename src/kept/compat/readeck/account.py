"""What Readeck tells of itself and of whoever asks."""

from typing import Final

from fastapi import Response

from kept.api.access import Public
from kept.compat.readeck.bookmarks_out import write_time
from kept.compat.readeck.ids import write_id
from kept.compat.readeck.visiting import Visiting, answer_json, create_router
from kept.domain.account import Scope
from kept.services.items.lists import list_tags

router = create_router()

# From 0.22.2 on, KOReader's plugin writes notes; this is the version whose API is spoken here.
VERSION: Final = "0.22.3"
READER: Final = {
    "width": 3,
    "font": "lora",
    "font_size": 3,
    "line_height": 3,
    "justify": 0,
    "hyphenation": 0,
}


@router.get("/api/info", dependencies=[Public])
async def get_info() -> Response:
    return answer_json({"version": {"canonical": VERSION, "release": VERSION, "build": "kept"}, "features": ["oauth"]})


@router.get("/api/profile")
async def get_profile(visit: Visiting) -> Response:
    user = visit.viewer.user
    permissions = ["api:bookmarks:read", "api:profile:read"]
    if visit.viewer.may(Scope.WRITE):
        permissions += ["api:bookmarks:write"]
    created = write_time(user.created_at)
    return answer_json(
        {
            "provider": {
                "id": write_id(user.id),
                "name": "bearer token",
                "application": "Kept",
                "roles": ["user"],
                "permissions": permissions,
            },
            "user": {
                "username": user.name,
                "email": "",
                "created": created,
                "updated": created,
                "settings": {
                    "debug_info": False,
                    "lang": "en-US",
                    "addon_reminder": False,
                    "email_settings": {"reply_to": "", "epub_to": ""},
                    "reader_settings": READER,
                },
            },
        }
    )


@router.get("/api/bookmarks/labels")
async def get_labels(visit: Visiting) -> Response:
    found, writer = await visit.kept.read(list_tags, visit.viewer, None), await visit.open_writer()
    return answer_json([writer.write_label(name, count) for name, count in found.tags])


@router.get("/api/bookmarks/collections")
async def get_collections(visit: Visiting) -> Response:
    """Kept has none; tags are labels."""
    return answer_json([], headers={"Total-Count": "0", "Total-Pages": "1", "Current-Page": "1"})
