"""All of Readeck's API under one router, for its apps and for KOReader's plugin. Kept's own API is `api/routes/`."""

from fastapi import APIRouter, Response

from kept.api.access import Public
from kept.compat.readeck import account, annotations, bookmarks, sync
from kept.compat.readeck.requests import create_router, write_error
from kept.domain.errors import NotFound

nowhere = create_router()


@nowhere.api_route("/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], dependencies=[Public])
async def answer_nothing(path: str) -> Response:
    """Answer any other path in the words of this API: its clients read a message from every answer."""
    return write_error(NotFound())


router = APIRouter()
# Paths with a name of their own come before `/api/bookmarks/{bookmark_id}`.
for family in (account, sync, annotations, bookmarks):
    router.include_router(family.router)
router.include_router(nowhere)
