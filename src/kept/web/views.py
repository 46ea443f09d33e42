"""Which part of a library a list shows, as its address says it. Pure."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from fastapi import Depends, Request

from kept.domain.item import Card
from kept.domain.item_filter import ItemFilter
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
NARROWED: Final[dict[View, dict[str, Any]]] = {
    View.ALL: {"is_archived": False},
    View.UNREAD: {"is_archived": False, "is_unread": True},
    View.FAVOURITE: {"is_favourite": True},
    View.ARCHIVED: {"is_archived": True},
    View.FAILED: {"is_archived": False, "has_failed": True},
}
NO_LIBRARY: Final = UUID(int=0)
LONGEST: Final = 200  # of what is looked for


@dataclass(frozen=True, slots=True)
class Shelf:
    """A list's address, taken apart."""

    view: View = View.ALL
    library_id: UUID | None = None
    tag: str | None = None
    text: str | None = None
    oldest_first: bool = False

    @property
    def filter(self) -> ItemFilter:
        narrowed: dict[str, Any] = NARROWED[self.view]
        if self.text and self.view is View.ALL:  # who looks for something wants it found, archived or not
            narrowed = {}
        return ItemFilter(NO_LIBRARY, tag=self.tag, oldest_first=self.oldest_first, **narrowed)

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
    def is_plain(self) -> bool:
        """Whether a link just saved would stand first in it."""
        return self.view in {View.ALL, View.UNREAD} and not (self.tag or self.text or self.oldest_first)

    def address(self, **changes: Any) -> str:
        return with_query("/", replace(self, **changes).query)

    def page(self, cursor: str) -> str:
        return with_query("/", {**self.query, "cursor": cursor})

    def shows(self, card: Card) -> bool:
        """Whether the card belongs here still, after a change to it."""
        wanted, reading = NARROWED[self.view], card.reading
        return (
            wanted.get("is_archived") in (None, reading.is_archived)
            and wanted.get("is_favourite") in (None, reading.is_favourite)
            and not (wanted.get("is_unread") and reading.read_at is not None)
            and not (wanted.get("has_failed") and card.media.processing_status not in GIVEN_UP)
            and (self.tag is None or self.tag in card.tags)
        )


def parse_shelf(
    view: str = "",
    library: str = "",
    tag: str = "",
    q: str = "",
    sort: str = "",
) -> Shelf:
    """What an old bookmark or a typing error says beyond this is passed over."""
    return Shelf(
        view=View(view) if view in list(View) else View.ALL,
        library_id=parse_id(library),
        tag=clean(tag[:LONGEST]).lower() or None,
        text=clean(q[:MAX_QUERY]) or None,
        oldest_first=sort == "oldest",
    )


def shelf_of(address: str) -> Shelf:
    """The shelf a form was sent from."""
    said = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    return parse_shelf(**{name: said.get(name, "") for name in ("view", "library", "tag", "q", "sort")})


def clean(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


def parse_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


async def asked_shelf(request: Request) -> Shelf:
    return shelf_of(str(request.url))


ShelfDep = Annotated[Shelf, Depends(asked_shelf)]
