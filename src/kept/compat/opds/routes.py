"""OPDS catalogues under `/opds`, which e-readers such as KOReader browse and download from.

Clients send HTTP Basic with an API token as the password. No route redirects: KOReader would lose the credentials.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import PlainTextResponse, StreamingResponse

from kept.api.access import KeptDep
from kept.api.requests import find_base_url
from kept.compat.access import TokenReader
from kept.compat.answering import routes_with_errors
from kept.compat.opds.atom import ACQUISITION, EPUB, NAVIGATION, Feed, write_feed
from kept.compat.opds.catalogue import LISTS, OLDEST, READY, Catalogue, Place
from kept.domain.account import Viewer
from kept.domain.errors import KeptError, NotFound, Unauthorized
from kept.domain.item import Card, ItemFilter, parse_tag
from kept.domain.library import ALL_LIBRARIES, LibraryChoice
from kept.domain.paging import PageRequest
from kept.services.exporting.articles import FileFormat, export_article
from kept.services.exporting.unread import export_next_unread
from kept.services.images.serving import prepare_image_links
from kept.services.items.lists import list_items, list_tags
from kept.services.items.search import MAX_QUERY, search_items
from kept.services.libraries.libraries import list_libraries
from kept.wiring.server import Kept

PAGE: Final = 50
REALM: Final = {"WWW-Authenticate": 'Basic realm="Kept: any user name, a token as password", charset="UTF-8"'}


def write_error(error: KeptError) -> Response:
    """Answer with plain text: KOReader takes what begins with a brace for a catalogue."""
    headers = REALM if isinstance(error, Unauthorized) else None
    return PlainTextResponse(error.message, error.http_status, headers)


router = APIRouter(prefix="/opds", include_in_schema=False, route_class=routes_with_errors(write_error))

Cursor = Annotated[str | None, Query(max_length=200)]


class Visit:
    """A request: its viewer and their catalogues."""

    def __init__(self, request: Request, viewer: TokenReader, kept: KeptDep) -> None:
        self.viewer: Viewer = viewer
        self.kept: Kept = kept
        self.base_url: str = find_base_url(request, kept)
        self.catalogue = Catalogue(viewer.user_id, f"{self.base_url}/opds", kept.now())

    async def show(self, place: Place, cards: Sequence[Card], next_cursor: str | None) -> Response:
        images = await prepare_image_links(self.kept.database, self.viewer, self.base_url)
        return answer_feed(self.catalogue.write_cards(place, cards, images, next_cursor), ACQUISITION)

    async def show_list(self, place: Place, library: LibraryChoice, wanted: ItemFilter, cursor: str | None) -> Response:
        page = await self.kept.read(list_items, self.viewer, library, wanted, PageRequest(cursor, PAGE))
        return await self.show(place, page.cards, page.next_cursor)


Visiting = Annotated[Visit, Depends()]


def answer_feed(feed: Feed, kind: str) -> Response:
    return Response(write_feed(feed), media_type=kind, headers={"Cache-Control": "no-store"})


@router.get("")
async def get_root(visit: Visiting) -> Response:
    return answer_feed(visit.catalogue.write_root(), NAVIGATION)


@router.get("/libraries")
async def get_libraries(visit: Visiting) -> Response:
    libraries = await visit.kept.read(list_libraries, visit.viewer)
    return answer_feed(visit.catalogue.write_libraries([library for library, _ in libraries]), NAVIGATION)


@router.get("/libraries/{library_id}")
async def get_library(visit: Visiting, library_id: UUID, cursor: Cursor = None) -> Response:
    libraries = await visit.kept.read(list_libraries, visit.viewer)
    names = {library.id: library.name for library, _ in libraries}
    if library_id not in names:
        raise NotFound
    wanted = ItemFilter(status=READY)
    return await visit.show_list(Place(f"libraries/{library_id}", names[library_id]), library_id, wanted, cursor)


@router.get("/tags")
async def get_tags(visit: Visiting) -> Response:
    tags = await visit.kept.read(list_tags, visit.viewer, ALL_LIBRARIES)
    return answer_feed(visit.catalogue.write_tags(tags.tags), NAVIGATION)


@router.get("/tags/{tag:path}")
async def get_tag(visit: Visiting, tag: str, cursor: Cursor = None) -> Response:
    name = parse_tag(tag)
    wanted = ItemFilter(status=READY, tag=name)
    return await visit.show_list(Place(f"tags/{quote(name, safe='')}", name), ALL_LIBRARIES, wanted, cursor)


@router.get("/search")
async def get_search(
    visit: Visiting, q: Annotated[str, Query(max_length=MAX_QUERY)] = "", cursor: Cursor = None
) -> Response:
    q = q.replace("\x00", "")
    page = await visit.kept.read(search_items, visit.viewer, ALL_LIBRARIES, q, PageRequest(cursor, PAGE))
    place = Place("search", f"Search: {q[:100]}", {"q": q})
    return await visit.show(place, [result.card for result in page.results], page.next_cursor)


@router.get("/next.epub")
async def get_next_unread(visit: Visiting) -> Response:
    book = await export_next_unread(visit.kept.images, visit.viewer, now=visit.kept.now())
    return StreamingResponse(book.chunks, media_type=EPUB, headers=name_file(book.name))


@router.get("/items/{item_id}.epub")
async def get_article(visit: Visiting, item_id: UUID) -> Response:
    now = visit.kept.now()
    file = await export_article(visit.kept.images, visit.viewer, item_id, FileFormat.EPUB, now=now)
    return Response(file.data, media_type=EPUB, headers=name_file(file.name))


@router.get("/{name}")
async def get_list(
    visit: Visiting, name: str, cursor: Cursor = None, order: Annotated[str, Query(max_length=20)] = ""
) -> Response:
    if name not in LISTS:
        raise NotFound
    title, wanted = LISTS[name]
    is_oldest_first = order == OLDEST
    place = Place(name, title, {"order": OLDEST} if is_oldest_first else {})
    return await visit.show_list(place, None, replace(wanted, oldest_first=is_oldest_first), cursor)


def name_file(name: str) -> dict[str, str]:
    """Name the file in the plain form too, the only one that KOReader reads."""
    plain = name.removesuffix(".epub").encode("ascii", "ignore").decode().strip("-") or "article"
    return {"Content-Disposition": f"attachment; filename=\"{plain}.epub\"; filename*=UTF-8''{quote(name)}"}
