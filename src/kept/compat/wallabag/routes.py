"""wallabag's API v2 under /wallabag: all its routes, with those about server and user, and for any other path."""

import asyncio
from dataclasses import replace
from typing import Final

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, Public
from kept.compat.access import TokenReader
from kept.compat.answering import PlainJson, base_url
from kept.compat.fields import FieldsDep
from kept.compat.wallabag import annotations, entries, files, pages, sign_in, tags
from kept.compat.wallabag.answers import ROOT, WallabagRoute, entry_out, error_out, write_moment
from kept.compat.wallabag.entries import count_pages, list_out, parse_list
from kept.domain.errors import NotFound
from kept.services.syncing.lists import list_synced_items

own = APIRouter(route_class=WallabagRoute)
# This router answers every other path, so that the framework never redirects.
rest = APIRouter(route_class=WallabagRoute)

# The Android app compares versions as text, and 2.10 would be before 2.4.
VERSION: Final = "2.6.13"
METHODS: Final = ["GET", "POST", "PUT", "PATCH", "DELETE"]


@own.get("/api/version", dependencies=[Public])
async def get_version() -> Response:
    return PlainJson(VERSION)


@own.get("/api/info", dependencies=[Public])
async def get_info() -> Response:
    return PlainJson({"appname": "wallabag", "version": VERSION, "allowed_registration": False})


@own.get("/api/user")
async def get_user(viewer: TokenReader) -> Response:
    user, since = viewer.user, write_moment(viewer.user.created_at)
    told = {"id": 1, "username": user.name, "email": "", "name": user.name}
    return PlainJson({**told, "created_at": since, "updated_at": since, "default_client": None})


@own.get("/api/search")
async def get_search(fields: FieldsDep, viewer: TokenReader, request: Request, kept: KeptDep) -> Response:
    asked = parse_list(fields)
    wanted = replace(asked.wanted, searches=(fields.text("term") or "",))
    found = await list_synced_items(kept.database, viewer, wanted, asked.page)
    if asked.number > count_pages(asked, found):
        raise NotFound
    base = base_url(request, kept, ROOT)

    def write() -> Response:
        entries = [entry_out(entry, viewer, with_content=asked.page.with_articles) for entry in found.items]
        return PlainJson(list_out(asked, found, entries, base))

    return await asyncio.to_thread(write)


@rest.api_route("/{path:path}", methods=METHODS, dependencies=[Public])
async def answer_unknown() -> Response:
    return error_out(NotFound())


router = APIRouter(include_in_schema=False)
for family in (entries.router, tags.router, annotations.router, files.router, sign_in.router, own, pages.router, rest):
    router.include_router(family, prefix=ROOT)
