"""Lists of entries: what a client asks for, and one page of it."""

from dataclasses import dataclass
from typing import Any, Final

from kept.compat.answers import write_url
from kept.compat.fields import Fields
from kept.domain.synced import SyncFilter, SyncOrder, SyncPage
from kept.services.syncing.lists import SyncedList

DEFAULT_PAGE: Final = 30
# wallabag-client asks for all at once, as many as a processor can count, and shows what it gets.
MOST_WITHOUT_CONTENT: Final = 10_000
MOST_WITH_CONTENT: Final = 100
LAST_PAGE: Final = 1_000_000
ORDERS: Final = {"created": SyncOrder.CREATED, "updated": SyncOrder.CHANGED, "archived": SyncOrder.ARCHIVED}
ECHOED: Final = ("archive", "starred", "public", "sort", "order", "tags", "since", "detail", "domain_name")


@dataclass(frozen=True, slots=True)
class ListRequest:
    wanted: SyncFilter
    number: int
    page: SyncPage
    sent: dict[str, str]
    """For the links to other pages."""

    @property
    def asks_public(self) -> bool:
        """Nothing is public here: this list is empty."""
        return self.sent.get("public") in {"1", "true"}


def parse_list(fields: Fields) -> ListRequest:
    is_full = fields.text("detail") != "metadata"
    most = MOST_WITH_CONTENT if is_full else MOST_WITHOUT_CONTENT
    limit = min(max(fields.integer("perPage") or DEFAULT_PAGE, 1), most)
    number = min(max(fields.integer("page") or 1, 1), LAST_PAGE)
    order = ORDERS.get(fields.text("sort") or "", SyncOrder.CREATED)
    is_descending = (fields.text("order") or "desc").lower() != "asc"
    sent = {name: text for name in ECHOED if (text := fields.text(name)) is not None}
    page = SyncPage(order, is_descending, (number - 1) * limit, limit, is_full)
    return ListRequest(parse_filter(fields), number, page, sent)


def parse_filter(fields: Fields) -> SyncFilter:
    # `since=0` is sent by those who want everything
    since = fields.moment("since") if fields.integer("since") else None
    return SyncFilter(
        is_archived=fields.flag("archive") if fields.text("archive") else None,
        is_favourite=fields.flag("starred") if fields.text("starred") else None,
        changed_after=since,
        tags=tuple(word.lower() for word in fields.words("tags")),
        site=fields.text("domain_name") or None,
    )


def list_out(asked: ListRequest, found: SyncedList, entries: list[dict[str, Any]], base: str) -> dict[str, Any]:
    limit, pages = asked.page.limit, count_pages(asked, found)

    def link(number: int) -> dict[str, str]:
        return {"href": write_url(base, "/api/entries", {**asked.sent, "page": str(number), "perPage": str(limit)})}

    links = {"self": link(asked.number), "first": link(1), "last": link(pages)}
    if asked.number < pages:
        links["next"] = link(asked.number + 1)
    return {
        "page": asked.number,
        "limit": limit,
        "pages": pages,
        "total": found.total,
        "_links": links,
        "_embedded": {"items": entries},
    }


def count_pages(asked: ListRequest, found: SyncedList) -> int:
    """An empty list has one page, too: two apps stop where the page is the last."""
    return max(1, -(-found.total // asked.page.limit))
