"""linkding's API under /linkding: all its routes, with those for tags, profile and health, and for any other path."""

from typing import Final

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, Public
from kept.compat.access import TokenReader, TokenWriter
from kept.compat.answering import PlainJson, base_url
from kept.compat.fields import FieldsDep
from kept.compat.linkding import bookmarks
from kept.compat.linkding.answers import ROOT, LinkdingRoute, error_out, tag_out
from kept.compat.linkding.listing import cut, empty_list, parse_slice
from kept.domain.errors import InvalidRequest, NotFound
from kept.services.syncing.tags import create_tag, list_numbered_tags

own = APIRouter(route_class=LinkdingRoute)
# This router answers every other path, so that the framework never redirects.
rest = APIRouter(route_class=LinkdingRoute)

# aiolinkding wants 1.22.0 or later.
VERSION: Final = "1.46.2"
METHODS: Final = ["GET", "POST", "PUT", "PATCH", "DELETE"]
PROFILE: Final = {
    "theme": "auto",
    "bookmark_date_display": "relative",
    "bookmark_link_target": "_blank",
    "web_archive_integration": "disabled",
    "tag_search": "lax",
    "enable_sharing": False,
    "enable_public_sharing": False,
    "enable_favicons": False,
    "display_url": False,
    "permanent_notes": False,
    "search_preferences": {"sort": "added_desc", "shared": "off", "unread": "off"},
    "version": VERSION,
}


@own.get("/health", dependencies=[Public])
async def get_health() -> Response:
    return PlainJson({"version": VERSION, "status": "healthy"})


@own.get("/api")
async def get_api(viewer: TokenReader) -> Response:
    """Answer Linkdy, which asks whether there is an API."""
    return PlainJson({})


@own.get("/api/user/profile")
async def get_profile(viewer: TokenReader) -> Response:
    return PlainJson(PROFILE)


@own.get("/api/tags")
async def get_tags(fields: FieldsDep, viewer: TokenReader, request: Request, kept: KeptDep) -> Response:
    every = await kept.read(list_numbered_tags, viewer, with_unused=True)
    return cut(parse_slice(fields), every, tag_out, base_url(request, kept, f"{ROOT}/api/tags/"))


@own.post("/api/tags")
async def post_tag(fields: FieldsDep, viewer: TokenWriter, kept: KeptDep) -> Response:
    name = (fields.text("name") or "").strip()
    if not name:
        raise InvalidRequest("The name is missing.")
    return PlainJson(tag_out(await kept.write(create_tag, viewer, name)), 201)


@own.get("/api/tags/{number:int}")
async def get_tag(number: int, viewer: TokenReader, kept: KeptDep) -> Response:
    every = await kept.read(list_numbered_tags, viewer, with_unused=True)
    found = next((tag for tag in every if tag.number == number), None)
    if found is None:
        raise NotFound
    return PlainJson(tag_out(found))


@own.get("/api/bundles")
async def get_bundles(viewer: TokenReader) -> Response:
    return empty_list()


@rest.api_route("", methods=METHODS, dependencies=[Public])
@rest.api_route("/{path:path}", methods=METHODS, dependencies=[Public])
async def answer_unknown() -> Response:
    return error_out(NotFound())


router = APIRouter(include_in_schema=False)
for family in (bookmarks.router, own, rest):
    router.include_router(family, prefix=ROOT)
