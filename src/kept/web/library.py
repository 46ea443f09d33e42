"""The library: the list of cards, whole or a piece of it."""

from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from markupsafe import Markup

from kept.domain.library import Role
from kept.services.items.browse_library import Browsed, browse_library
from kept.services.reading.open_article import find_card
from kept.web.notices import Notice, NoticeDep
from kept.web.rendering import Visit, Visiting, wants_fragment, with_query
from kept.web.views import LABELS, Shelf, ShelfDep, View

router = APIRouter()

PAGE: Final = 24  # whole rows in two, three and four columns
TAGS_SHOWN: Final = 60
Cursor = Annotated[str | None, Query(max_length=200)]


@router.get("/")
async def show_library(visit: Visiting, shelf: ShelfDep, notice: NoticeDep, cursor: Cursor = None) -> Response:
    browsed = await browse_library(
        visit.kept.database,
        visit.viewer,
        shelf.library_id,
        shelf.filter,
        text=shelf.text,
        cursor=cursor or None,
        limit=PAGE,
    )
    if wants_fragment(visit.request):
        return visit.render("parts/cards.html", **list_values(shelf, browsed))
    return show_list(visit, shelf, browsed, notice, is_first_page=not cursor)


def show_list(visit: Visit, shelf: Shelf, browsed: Browsed, notice: Notice | None, *, is_first_page: bool) -> Response:
    return visit.render(
        "library.html",
        **list_values(shelf, browsed),
        library=browsed.library,
        libraries=browsed.libraries,
        tags=link_tags(shelf, most_used(browsed.tags)),
        labels=LABELS,
        notice=notice,
        latest_event=browsed.latest_event,
        is_first_page=is_first_page,
    )


def list_values(shelf: Shelf, browsed: Browsed) -> dict[str, Any]:
    return {
        "shelf": shelf,
        "cards": browsed.page.cards,
        "snippets": {item_id: Markup(passage) for item_id, passage in browsed.snippets.items()},  # noqa: S704 (escaped)
        "next_page": shelf.page(browsed.page.next_cursor) if browsed.page.next_cursor else None,
        "back": shelf.address(),
        "may_write": browsed.role is Role.ADMIN,
    }


def link_tags(shelf: Shelf, tags: list[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """Each leads to its list; the one that is shown leads back."""
    here = shelf.address(view=View.ALL, tag=None, text=None)
    return [(tag, number, here if tag == shelf.tag else with_query(here, {"tag": tag})) for tag, number in tags]


def most_used(tags: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The most used, in alphabetical order."""
    return sorted(sorted(tags, key=lambda tag: -tag[1])[:TAGS_SHOWN])


@router.get("/cards/{item_id}")
async def show_card(visit: Visiting, item_id: UUID, back: Annotated[str, Query(max_length=2000)] = "/") -> Response:
    """One card, for a page that was told that it changed."""
    card, role = await find_card(visit.kept.database, visit.viewer, item_id)
    return visit.render("parts/card.html", card=card, back=back, may_write=role is Role.ADMIN)
