"""The library page: the list of cards, as a page or as a fragment."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from markupsafe import Markup

from kept.domain.library import Role
from kept.domain.paging import PageRequest
from kept.services.items.browse_library import Browsed, BrowseRequest, browse_library
from kept.services.items.read_card import read_card
from kept.web.list_view import LABELS, ListView, ListViewDep, View
from kept.web.notices import Notice, NoticeDep
from kept.web.rendering import Visit, Visiting, wants_fragment, with_query

router = APIRouter()

PAGE: Final = 24  # whole rows in two, three and four columns
TAGS_SHOWN: Final = 60
Cursor = Annotated[str | None, Query(max_length=200)]


@router.get("/")
async def show_library(visit: Visiting, list_view: ListViewDep, notice: NoticeDep, cursor: Cursor = None) -> Response:
    page = PageRequest(cursor or None, PAGE)
    wanted = BrowseRequest(list_view.library_id, list_view.filter, list_view.text, page)
    browsed = await browse_library(visit.kept.database, visit.viewer, wanted)
    if wants_fragment(visit.request):
        return visit.render("parts/cards.html", 200, **list_values(list_view, browsed))
    return show_list(visit, list_view, browsed, notice, is_first_page=not cursor)


def show_list(
    visit: Visit, list_view: ListView, browsed: Browsed, notice: Notice | None, *, is_first_page: bool
) -> Response:
    return visit.render(
        "library.html",
        200,
        **list_values(list_view, browsed),
        library=browsed.library,
        may_write=may_add(browsed),
        libraries=browsed.libraries,
        tags=link_tags(list_view, most_used(browsed.tags)),
        labels=LABELS,
        notice=notice,
        latest_event=browsed.latest_event,
        is_first_page=is_first_page,
    )


def list_values(list_view: ListView, browsed: Browsed) -> dict[str, object]:
    return {
        "list_view": list_view,
        "cards": browsed.page.cards,
        "snippets": {item_id: Markup(passage) for item_id, passage in browsed.snippets.items()},  # noqa: S704 (escaped)
        "next_page": list_view.page_url(browsed.page.next_cursor) if browsed.page.next_cursor else None,
        "back": list_view.url(),
        "writable": {library.id for library, role in browsed.libraries if role is Role.ADMIN},
        "library_names": {} if browsed.library else name_shared(browsed),
    }


def name_shared(browsed: Browsed) -> dict[UUID, str]:
    """What a list of all libraries says of an item: where it is, unless it is in a personal library."""
    return {library.id: library.name for library, _ in browsed.libraries if not library.is_default}


def may_add(browsed: Browsed) -> bool:
    """What is saved from a list of all libraries goes into one's own."""
    return browsed.library is None or (browsed.library, Role.ADMIN) in browsed.libraries


def link_tags(list_view: ListView, tags: list[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """With the URL of each tag's list; for the tag that is shown, the URL of the list without it."""
    here = list_view.url(view=View.ALL, tag=None, text=None)
    return [(tag, number, here if tag == list_view.tag else with_query(here, {"tag": tag})) for tag, number in tags]


def most_used(tags: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The most used, in alphabetical order."""
    return sorted(sorted(tags, key=lambda tag: -tag[1])[:TAGS_SHOWN])


@router.get("/cards/{item_id}")
async def show_card(visit: Visiting, item_id: UUID, back: Annotated[str, Query(max_length=2000)] = "/") -> Response:
    """One card as a fragment, for a page that was notified of a change."""
    card, role = await read_card(visit.kept.database, visit.viewer, item_id)
    return visit.render("parts/card.html", card=card, back=back, may_write=role is Role.ADMIN)
