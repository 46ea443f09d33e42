"""The library page: the list of cards, as a page or as a fragment; and the page of all tags."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from markupsafe import Markup

from kept.content.search.query import list_unknown_operators
from kept.domain.library import ALL_LIBRARIES, Role
from kept.domain.paging import PageRequest
from kept.services.items.lists import Browsed, ShownCards, browse_library, list_shown_cards, list_tags
from kept.services.pages.cards import get_card_and_role
from kept.web.adding import make_bookmarklet
from kept.web.list_view import ListView, ListViewDep, View, find_list, label_views
from kept.web.notices import Notice, NoticeDep
from kept.web.rendering import Visit, Visiting, local_path, wants_fragment, with_query
from kept.web.text import natural_key

router = APIRouter(include_in_schema=False)

PAGE: Final = 24  # whole rows in two, three and four columns
TAGS_SHOWN: Final = 60
TAGS_A_PAGE: Final = 1_000
# This many tags, the most used, are offered while somebody types.
TAGS_COMPLETED: Final = 2_000
CARDS_AT_ONCE: Final = 50
Cursor = Annotated[str | None, Query(max_length=200)]


@router.get("/")
async def show_library(visit: Visiting, list_view: ListViewDep, notice: NoticeDep, cursor: Cursor = None) -> Response:
    page = PageRequest(cursor or None, PAGE)
    browsed = await visit.kept.read(browse_library, visit.viewer, list_view.listed, page)
    if not wants_fragment(visit.request):
        return show_list(visit, list_view, browsed, notice)
    template = "parts/cards.html" if cursor else "parts/list.html"
    extra = {"may_write": may_add(browsed), "bookmarklet": make_bookmarklet(visit)}
    return visit.render(template, 200, **list_values(list_view, browsed), **extra)


def show_list(visit: Visit, list_view: ListView, browsed: Browsed, notice: Notice | None) -> Response:
    return visit.render(
        "library.html",
        200,
        **list_values(list_view, browsed),
        may_write=may_add(browsed),
        libraries=browsed.libraries,
        tags=link_tags(list_view, most_used(browsed.tags)),
        label_views=label_views,
        notice=notice,
        latest_event=browsed.latest_event,
        bookmarklet=make_bookmarklet(visit),
        tag_count=len(browsed.tags),
    )


def list_values(list_view: ListView, browsed: Browsed) -> dict[str, object]:
    return {
        "list_view": list_view,
        "cards": browsed.page.cards,
        "snippets": {key: Markup(result.snippet) for key, result in browsed.snippets.items()},  # noqa: S704 (escaped)
        "found_pages": {key: result.page for key, result in browsed.snippets.items() if result.page},
        "next_page": list_view.page_url(browsed.page.next_cursor) if browsed.page.next_cursor else None,
        "back": list_view.url(),
        "writable": {library.id for library, role in browsed.libraries if role is Role.ADMIN},
        "library_names": {} if browsed.library else name_shared(browsed),
        "library": browsed.library,
        "found": browsed.found,
        "unknown": list_unknown_operators(list_view.text) if list_view.text else (),
        "adders": browsed.adders,
    }


def name_shared(browsed: Browsed) -> dict[UUID, str]:
    """Return the names of shared libraries, which a list of all libraries shows with their items."""
    return {library.id: library.name for library, _ in browsed.libraries if not library.is_default}


def may_add(browsed: Browsed) -> bool:
    """Return whether links can be saved here; from a list of all libraries they go into the user's own."""
    return browsed.library is None or (browsed.library, Role.ADMIN) in browsed.libraries


def link_tags(list_view: ListView, tags: list[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """Add the URL of each tag's list; for the tag that is shown, the URL of the list without it."""
    here = list_view.url(view=View.ALL, tag=None, text=None)
    return [(tag, number, here if tag == list_view.tag else with_query(here, {"tag": tag})) for tag, number in tags]


def most_used(tags: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the most used tags, in natural order."""
    return sort_tags(sorted(tags, key=lambda tag: -tag[1])[:TAGS_SHOWN])


def sort_tags(tags: list[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(tags, key=lambda tag: natural_key(tag[0]))


@router.get("/tags")
async def show_tags(
    visit: Visiting, list_view: ListViewDep, page: Annotated[int, Query(ge=1, le=10_000)] = 1
) -> Response:
    """Show all tags of a library, or of all; as a fragment, the options of a field that completes tags."""
    found = await visit.kept.read(list_tags, visit.viewer, list_view.library_id)
    tags = sort_tags(found.tags)
    if wants_fragment(visit.request):
        return visit.render("parts/tag_options.html", tags=sorted(tags, key=lambda tag: -tag[1])[:TAGS_COMPLETED])
    shown = tags[(page - 1) * TAGS_A_PAGE : page * TAGS_A_PAGE]
    return visit.render(
        "tags.html",
        library=found.library,
        tags=link_tags(ListView(library_id=list_view.library_id), shown),
        count_of_tags=len(tags),
        page=page,
        has_next=len(tags) > page * TAGS_A_PAGE,
        back=list_view.url(tag=None, text=None),
        notice=None,
    )


def shown_values(shown: ShownCards) -> dict[str, object]:
    """Return the values that the template of changed cards needs."""
    return {
        "cards": shown.cards,
        "adders": shown.adders,
        "library_names": {library_id: name for library_id, name, _ in shown.libraries if name},
        "writable": {library_id for library_id, _, role in shown.libraries if role is Role.ADMIN},
    }


@router.get("/cards")
async def show_cards(
    visit: Visiting,
    item: Annotated[list[UUID], Query(max_length=CARDS_AT_ONCE)],
    back: Annotated[str, Query(max_length=4000)] = "/",
) -> Response:
    """Render the cards of those items that are in the list at `back`, for a page that was told of changes."""
    list_view = find_list(local_path(back)) or ListView()
    shown = await visit.kept.read(list_shown_cards, visit.viewer, list_view.listed, item)
    values = shown_values(shown)
    if list_view.library_id != ALL_LIBRARIES:
        values["library_names"] = {}
    return visit.render("parts/changed.html", 200, **values, back=list_view.url(), notice=None)


@router.get("/cards/{item_id}")
async def show_card(visit: Visiting, item_id: UUID, back: Annotated[str, Query(max_length=2000)] = "/") -> Response:
    """Render one card as a fragment, for a page that was notified of a change."""
    card, role = await visit.kept.read(get_card_and_role, visit.viewer, item_id)
    return visit.render("parts/card.html", card=card, back=local_path(back), may_write=role is Role.ADMIN)
