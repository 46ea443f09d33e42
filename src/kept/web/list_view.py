"""The list view: which items of a library a list shows, parsed from its URL and written back into one. Pure."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from fastapi import Depends, Request

from kept.domain.item import Card
from kept.domain.item_filter import ItemFilter
from kept.domain.library import ALL_LIBRARIES, LibraryChoice
from kept.domain.lifecycle import GIVEN_UP
from kept.services.items.search_items import MAX_QUERY
from kept.web.rendering import with_query


class View(StrEnum):
    ALL = "all"
    UNREAD = "unread"
    FAVOURITE = "favourite"
    ARCHIVED = "archived"
    FAILED = "failed"


LABELS: Final = {
    View.ALL: "All",
    View.UNREAD: "Unread",
    View.FAVOURITE: "Favourites",
    View.ARCHIVED: "Archive",
    View.FAILED: "Failed",
}
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


@dataclass(frozen=True, slots=True)
class ListView:
    view: View = View.ALL
    library_id: LibraryChoice = None
    tag: str | None = None
    text: str | None = None
    oldest_first: bool = False

    @property
    def filter(self) -> ItemFilter:
        # A search without a view includes archived items.
        chosen = EVERYTHING if self.text and self.view is View.ALL else FILTERS[self.view]
        return replace(chosen, tag=self.tag, oldest_first=self.oldest_first)

    @property
    def query(self) -> dict[str, object]:
        return {
            "view": None if self.view is View.ALL else self.view,
            "library": self.library_id,
            "tag": self.tag,
            "q": self.text,
            "sort": "oldest" if self.oldest_first else None,
        }

    @property
    def shows_new_first(self) -> bool:
        """Whether a link saved now would be the first card of this list. In a list of all libraries it may be there
        already, as another library's item."""
        is_narrowed = self.tag or self.text or self.oldest_first or self.library_id == ALL_LIBRARIES
        return self.view in {View.ALL, View.UNREAD} and not is_narrowed

    def url(self, **changes: Any) -> str:
        return with_query("/", replace(self, **changes).query)

    def page_url(self, cursor: str) -> str:
        return with_query("/", {**self.query, "cursor": cursor})

    def shows(self, card: Card) -> bool:
        """Whether the card still belongs in this list after a change to it."""
        wanted, reading = FILTERS[self.view], card.reading
        return (
            wanted.is_archived in (None, reading.is_archived)
            and wanted.is_favourite in (None, reading.is_favourite)
            and not (wanted.is_unread and reading.read_at is not None)
            and not (wanted.has_failed and card.media.processing_status not in GIVEN_UP)
            and (self.tag is None or self.tag in card.tags)
        )


def parse_list_view(view: str = "", library: str = "", tag: str = "", q: str = "", sort: str = "") -> ListView:
    """Values that are unknown, from an old bookmark or a typing error, are ignored."""
    return ListView(
        view=View(view) if view in list(View) else View.ALL,
        library_id=ALL_LIBRARIES if library == ALL_LIBRARIES else parse_id(library),
        tag=clean(tag[:MAX_TAG_CHARS]).lower() or None,
        text=clean(q[:MAX_QUERY]) or None,
        oldest_first=sort == "oldest",
    )


def parse_list_url(url: str) -> ListView:
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    return parse_list_view(**{name: query.get(name, "") for name in ("view", "library", "tag", "q", "sort")})


def clean(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


def parse_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


async def get_list_view(request: Request) -> ListView:
    return parse_list_url(str(request.url))


ListViewDep = Annotated[ListView, Depends(get_list_view)]
