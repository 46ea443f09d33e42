"""Numbers for apps and items as apps synchronise them: kept by the database itself, on both databases."""

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select

from kept.domain.account import Scope, User, Viewer
from kept.domain.errors import NotFound
from kept.domain.item import ItemFilter
from kept.domain.synced import MAX_RESTORED_NUMBER, NumberKind, SyncFilter, SyncPage
from kept.services.syncing.numbers import find_by_number
from kept.storage import captures, items, sync, synced_lists, tables
from kept.storage.database.engine import Database
from kept.storage.synced_lists import ListScope
from support.builders.rows import AT, insert_item, insert_library, insert_media, insert_user
from support.fixtures.transactions import reading, writing


def number_of(tx: Any, item_id: UUID) -> int:
    return sync.list_numbers(tx, NumberKind.ITEM, [item_id])[item_id]


async def test_each_item_has_a_number_of_its_own_and_none_comes_twice(database: Database) -> None:
    with writing(database) as tx:
        _, library_id = insert_user(tx)
        first = insert_item(tx, library_id, insert_media(tx))
        second = insert_item(tx, library_id, insert_media(tx))
        given = [number_of(tx, first), number_of(tx, second)]
        items.remove_row(tx, second)
    with writing(database) as tx:
        third = insert_item(tx, library_id, insert_media(tx))
        given.append(number_of(tx, third))
    assert given == sorted(set(given))


async def test_a_number_leads_to_the_item_another_was_united_with_and_to_nothing_of_others(database: Database) -> None:
    with writing(database) as tx:
        user_id, library_id = insert_user(tx)
        other_id, _ = insert_user(tx, "bob")
        old = insert_item(tx, library_id, insert_media(tx))
        new = insert_item(tx, library_id, insert_media(tx))
        number = number_of(tx, old)
        items.unite_row(tx, old, new)
    ann, bob = (Viewer(User(key, "x", False, AT), frozenset(Scope)) for key in (user_id, other_id))
    assert await database.read(find_by_number, ann, NumberKind.ITEM, number) == new
    for person, asked, kind in (
        (bob, number, NumberKind.ITEM),
        (ann, number, NumberKind.TAG),
        (ann, number, NumberKind.HIGHLIGHT),
        (ann, 0, NumberKind.ITEM),
        (ann, 2**31, NumberKind.ITEM),
        (ann, 10**30, NumberKind.ITEM),
    ):
        with pytest.raises(NotFound):
            await database.read(find_by_number, person, kind, asked)


async def test_numbers_of_a_file_are_restored_where_they_are_free_and_never_given_again(database: Database) -> None:
    with writing(database) as tx:
        _, library_id = insert_user(tx)
        there = insert_item(tx, library_id, insert_media(tx))
        taken = number_of(tx, there)
        sync.advance(tx, 5_000)
        brought = [insert_item(tx, library_id, insert_media(tx)) for _ in range(3)]
        wanted = {brought[0]: 4_000, brought[1]: taken, brought[2]: MAX_RESTORED_NUMBER + 1}
        sync.restore(tx, NumberKind.ITEM, wanted)
        got = [number_of(tx, item_id) for item_id in brought]
        assert number_of(tx, there) == taken
    assert got[0] == 4_000
    assert min(got[1:]) > 5_000
    with writing(database) as tx:
        later = number_of(tx, insert_item(tx, library_id, insert_media(tx)))
        sync.advance(tx, MAX_RESTORED_NUMBER + 1)
        sync.advance(tx, -1)
        last = number_of(tx, insert_item(tx, library_id, insert_media(tx)))
    assert max(got) < later < last < taken + 10_000  # a used database counts on


async def test_a_number_that_a_file_brought_is_skipped_when_it_would_be_the_next(database: Database) -> None:
    with writing(database) as tx:
        _, library_id = insert_user(tx)
        first = insert_item(tx, library_id, insert_media(tx))
        at = number_of(tx, first)
        sync.restore(tx, NumberKind.ITEM, {first: at + 1})
        second = insert_item(tx, library_id, insert_media(tx))
        assert number_of(tx, second) > at + 1


async def test_what_apps_list_is_what_lists_show(database: Database) -> None:
    """Copies, states, moves and removals: the triggers' table against the query that pages use."""
    with writing(database) as tx:
        user_id, library_id = insert_user(tx)
        other_id = UUID(int=7)
        insert_library(tx, user_id, other_id)
        old, new = insert_media(tx, processing_status="ready_for_reading"), insert_media(tx)
        tx.execute(tables.media.update().where(tables.media.c.id == old).values(superseded_by=new))
        shown = [insert_item(tx, library_id, media_id) for media_id in (old, new, insert_media(tx), insert_media(tx))]
        insert_item(tx, other_id, insert_media(tx))

    def check() -> int:
        with reading(database) as tx:
            cards = items.list_cards(tx, user_id, ItemFilter((library_id,)), after=None, limit=100)
            scope = ListScope(user_id, library_id)
            found = synced_lists.list_ids(tx, scope, SyncFilter(), SyncPage(limit=100))
            assert found == [card.item.id for card in cards]
            archived = synced_lists.count(tx, scope, SyncFilter(is_archived=True))
            assert archived == sum(card.reading.is_archived for card in cards)
            assert synced_lists.count(tx, scope, SyncFilter()) == len(found)
            return len(found)

    assert check() == 3
    with writing(database) as tx:  # the new copy is ready
        values = {"processing_status": "ready_for_reading"}
        tx.execute(tables.media.update().where(tables.media.c.id == new).values(values))
    assert check() == 3
    with writing(database) as tx:  # the new copy goes, alone
        items.remove_row(tx, shown[1])
    assert check() == 3
    with writing(database) as tx:  # one is moved away
        items.update_item(tx, shown[2], library_id=other_id)
    assert check() == 2
    with writing(database) as tx:  # and back
        items.update_item(tx, shown[2], library_id=library_id)
        state = {"is_favourite": False, "is_archived": True, "progress": 0.0, "updated_at": AT}
        tx.execute(tables.reading_states.insert().values(user_id=user_id, media_id=old, **state))
    assert check() == 3
    with writing(database) as tx:  # another shows a private copy of its page
        captures.insert_earlier_copy(tx, shown[3], shown[2])
    assert check() == 2
    with writing(database) as tx:  # the private copy goes, alone
        items.remove_row(tx, shown[2])
    assert check() == 2
    with writing(database) as tx:
        tx.execute(tables.media.delete().where(tables.media.c.id == old))
        assert tx.execute(select(func.count()).select_from(tables.synced_items)).scalar_one() == 1
    assert check() == 1
