"""A list by a tag that many items have is found among the next items of the whole list, and is the same list."""

from collections.abc import Iterator

import pytest

from kept.domain.item import ItemFilter
from kept.domain.paging import Position
from kept.domain.synced import SyncFilter, SyncPage
from kept.services.syncing.lists import list_synced_cards
from kept.storage import items as stored
from kept.storage import synced_lists
from kept.storage.database.engine import Database
from support.builders.libraries import Owner
from support.builders.many_items import fill_with_items
from support.fixtures.transactions import reading

ITEMS = 200


@pytest.fixture
def full(database: Database, owner: Owner) -> Owner:
    """Each of twenty tags has ten items, evenly."""
    fill_with_items(database, owner.viewer.user_id, ITEMS, ready=ITEMS)
    return owner


def walk(database: Database, owner: Owner, wanted: ItemFilter) -> Iterator[str]:
    after = None
    while True:
        with reading(database) as tx:
            page = stored.list_cards(tx, owner.viewer.user_id, wanted, after=after, limit=3)
        yield from (card.item.url for card in page)
        if len(page) < 3:
            return
        after = Position(page[-1].item.created_at, page[-1].item.id)


@pytest.mark.parametrize("oldest_first", [False, True])
@pytest.mark.parametrize("is_archived", [None, True, False])
@pytest.mark.parametrize("nearby", [5, 60, 2_000])
async def test_paging_through_a_frequent_tag_shows_each_of_its_items_once(
    full: Owner,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    nearby: int,
    is_archived: bool | None,
    oldest_first: bool,
) -> None:
    wanted = ItemFilter((full.library_id,), tag="tag-7", is_archived=is_archived, oldest_first=oldest_first)
    expected = list(walk(database, full, wanted))
    assert len(expected) == (0 if is_archived is False else ITEMS // 20)
    monkeypatch.setattr(stored, "FREQUENT", 2)
    monkeypatch.setattr(stored, "NEARBY", nearby)
    assert list(walk(database, full, wanted)) == expected


@pytest.mark.parametrize("tags", [(), ("tag-7",)])
async def test_a_total_that_is_counted_apart_is_the_number_of_all(
    full: Owner, database: Database, monkeypatch: pytest.MonkeyPatch, tags: tuple[str, ...]
) -> None:
    wanted = SyncFilter(tags=tags)
    pages = [SyncPage(offset=offset, limit=4) for offset in range(0, 24, 4)]
    apart = [await list_synced_cards(database, full.viewer, wanted, page) for page in pages]
    monkeypatch.setattr(synced_lists, "NEARBY", 0)
    assert [await list_synced_cards(database, full.viewer, wanted, page) for page in pages] == apart
    assert {page.total for page in apart} == {ITEMS // 20 if tags else ITEMS}
