"""The list view: which items of a library a list shows, parsed from its URL and written back into one. Pure."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final
from urllib.parse import parse_qs, urlsplit

from fastapi import Depends, Request

from kept.domain.item import ItemFilter, ItemList
from kept.domain.library import ALL_LIBRARIES, LibraryChoice
from kept.ids import find_id
from kept.services.items.search import MAX_QUERY
from kept.web.i18n import _, pgettext
from kept.web.rendering import with_query


class View(StrEnum):
    ALL = "all"
    UNREAD = "unread"
    FAVOURITE = "favourite"
    ARCHIVED = "archived"
    FAILED = "failed"


class Sort(StrEnum):
    NEWEST = "newest"
    OLDEST = "oldest"


# The service fills in the libraries.
EVERYTHING: Final = ItemFilter()
FILTERS: Final = {
    View.ALL: ItemFilter(is_archived=False),
    View.UNREAD: ItemFilter(is_archived=False, is_unread=True),
    View.FAVOURITE: ItemFilter(is_favourite=True),
    View.ARCHIVED: ItemFilter(is_archived=True),
    View.FAILED: ItemFilter(is_archived=False, has_failed=True),
}
MAX_TAG_CHARS: Final = 200


def label_views() -> dict[View, str]:
    return {
        View.ALL: pgettext("list", "All"),
        View.UNREAD: pgettext("list", "Unread"),
        View.FAVOURITE: pgettext("list", "Favourites"),
        View.ARCHIVED: pgettext("list", "Archive"),
        View.FAILED: pgettext("list", "Failed"),
    }


@dataclass(frozen=True, slots=True)
class ListView:
    view: View = View.ALL
    library_id: LibraryChoice = None
    tag: str | None = None
    text: str | None = None
    sort: Sort | None = None
    """None is newest first, or for a search the best match first."""

    @property
    def filter(self) -> ItemFilter:
        # A search without a view includes archived items.
        chosen = EVERYTHING if self.text and self.view is View.ALL else FILTERS[self.view]
        return replace(chosen, tag=self.tag, oldest_first=self.oldest_first)

    @property
    def listed(self) -> ItemList:
        return ItemList(self.library_id, self.filter, self.text, by_date=self.sort is not None)

    @property
    def oldest_first(self) -> bool:
        return self.sort is Sort.OLDEST

    @property
    def sort_label(self) -> str:
        if self.text and self.sort is None:
            return _("Best match first")
        return _("Oldest first") if self.oldest_first else _("Newest first")

    @property
    def next_sort(self) -> Sort | None:
        """Return the next order: newest and oldest by turns; for a search best, newest, oldest."""
        if self.oldest_first:
            return None
        return Sort.NEWEST if self.text and self.sort is None else Sort.OLDEST

    @property
    def query(self) -> dict[str, object]:
        return {
            "view": None if self.view is View.ALL else self.view,
            "library": self.library_id,
            "tag": self.tag,
            "q": self.text,
            "sort": self.sort if self.text or self.oldest_first else None,
        }

    def url(self, **changes: Any) -> str:
        return with_query("/", replace(self, **changes).query)

    def page_url(self, cursor: str) -> str:
        return with_query("/", {**self.query, "cursor": cursor})


def parse_list_view(view: str = "", library: str = "", tag: str = "", q: str = "", sort: str = "") -> ListView:
    """Parse a query; unknown values, from an old bookmark or a typing error, are ignored."""
    return ListView(
        view=View(view) if view in list(View) else View.ALL,
        library_id=ALL_LIBRARIES if library == ALL_LIBRARIES else find_id(library),
        tag=clean(tag[:MAX_TAG_CHARS]).lower() or None,
        text=clean(q[:MAX_QUERY]) or None,
        sort=Sort(sort) if sort in list(Sort) else None,
    )


def parse_list_url(url: str) -> ListView:
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    return parse_list_view(**{name: query.get(name, "") for name in ("view", "library", "tag", "q", "sort")})


def find_list(url: str) -> ListView | None:
    """Return the list that a URL of this server shows; None if it shows something else."""
    is_list = url == "/" or url.startswith("/?")
    return parse_list_url(url) if is_list else None


def clean(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


async def get_list_view(request: Request) -> ListView:
    return parse_list_url(str(request.url))


ListViewDep = Annotated[ListView, Depends(get_list_view)]
