"""Changes of several items, on both databases: what is counted, what is undone, what stays in a list."""

from datetime import timedelta
from uuid import uuid4

import pytest

from kept.clock import utc_now
from kept.domain.errors import NotFound
from kept.domain.item import ItemFilter, ItemList
from kept.domain.library import ALL_LIBRARIES
from kept.domain.paging import PageRequest
from kept.jobs.notifier import NullNotifier
from kept.services.ingesting.retries import retry_items
from kept.services.items.changes import ItemsChange, ReadingChange, change_items
from kept.services.items.copying import recapture_items
from kept.services.items.lists import list_shown_cards
from kept.services.items.moving import move_items
from kept.services.items.removal import (
    RESTORE_WITHIN,
    forget_removed_items,
    list_removed,
    remove_items,
    restore_removed_items,
    undo_batch,
)
from kept.services.libraries.libraries import create_library
from kept.services.pages.bulk import UNDO_WITHIN
from kept.services.reading.articles import open_article
from support.builders.libraries import Owner

URLS = [f"https://example.org/{number}" for number in range(4)]


async def test_only_what_changed_is_counted_and_only_that_is_undone(owner: Owner) -> None:
    cards = [await owner.save(url) for url in URLS[:3]]
    await owner.mark(cards[0], is_archived=True)
    ids = [*(card.item.id for card in cards), uuid4()]
    archive = ItemsChange(ReadingChange(is_archived=True))
    result = await owner.database.write(change_items, owner.viewer, ids, archive, now=utc_now())
    assert (result.changed, result.unchanged, result.refused) == (tuple(ids[1:3]), 1, 1)
    assert result.undo is not None
    assert await undo_batch(owner.database, owner.viewer, result.undo, now=utc_now()) == ids[1:3]
    states = [owner.cards()[url].reading.is_archived for url in URLS[:3]]
    assert states == [True, False, False]
    with pytest.raises(NotFound):
        await undo_batch(owner.database, owner.viewer, result.undo, now=utc_now())


async def test_an_undo_brings_back_the_moment_a_page_was_read_and_the_tags_it_had(owner: Owner) -> None:
    card = await owner.save(URLS[0], tags=["old"])
    await owner.mark(card, is_read=True)
    before = owner.cards()[URLS[0]]
    for change in (
        ItemsChange(ReadingChange(is_read=False)),
        ItemsChange(add_tags=("old", "new")),
        ItemsChange(remove_tags=("old", "absent")),
    ):
        result = await owner.database.write(change_items, owner.viewer, [card.item.id], change, now=utc_now())
        assert owner.cards()[URLS[0]] != before
        assert result.undo is not None
        await undo_batch(owner.database, owner.viewer, result.undo, now=utc_now())
        after = owner.cards()[URLS[0]]
        assert (after.tags, after.reading) == (before.tags, before.reading)


async def test_nobody_else_undoes_a_change_and_after_a_day_nobody_does(owner: Owner, other_owner: Owner) -> None:
    card = await owner.save(URLS[0])
    change = ItemsChange(ReadingChange(is_favourite=True))
    result = await owner.database.write(change_items, owner.viewer, [card.item.id], change, now=utc_now())
    assert result.undo is not None
    with pytest.raises(NotFound):
        await undo_batch(owner.database, other_owner.viewer, result.undo, now=utc_now())
    later = utc_now() + UNDO_WITHIN + timedelta(seconds=1)
    with pytest.raises(NotFound):
        await undo_batch(owner.database, owner.viewer, result.undo, now=later)


async def test_a_move_of_several_is_undone(owner: Owner) -> None:
    team = await owner.database.write(create_library, owner.viewer, name="Team", now=utc_now())
    cards = [await owner.save(url, tags=["mine"]) for url in URLS[:2]]
    ids = [card.item.id for card in cards]
    moved = await owner.database.write(move_items, owner.viewer, ids, team.id, now=utc_now())
    assert (len(moved.changed), set(owner.cards(team.id))) == (2, set(URLS[:2]))
    assert (await owner.database.write(move_items, owner.viewer, ids, team.id, now=utc_now())).unchanged == 2
    assert moved.undo is not None
    await undo_batch(owner.database, owner.viewer, moved.undo, now=utc_now())
    assert owner.cards(team.id) == {}
    assert {card.tags for card in owner.cards().values()} == {("mine",)}


async def test_what_cannot_be_retried_or_saved_anew_is_counted(owner: Owner) -> None:
    ready = await owner.keep(URLS[0], "Ready", "Words.")
    pending = await owner.save(URLS[1])
    ids, notifier, now = [ready.item.id, pending.item.id, uuid4()], NullNotifier(), utc_now()
    retried = await retry_items(owner.database, notifier, owner.viewer, ids, request_id=None, now=now)
    assert (retried.changed, retried.refused) == ((), 3)
    copied = await recapture_items(owner.database, notifier, owner.viewer, ids, request_id=None, now=now)
    assert (copied.changed, copied.refused) == ((ready.item.id,), 2)


async def test_removed_items_are_listed_restored_one_by_one_or_forgotten(owner: Owner, other_owner: Owner) -> None:
    cards = [await owner.save(url, title=url[-1]) for url in URLS[:3]]
    now = utc_now()
    for number, card in enumerate(cards):
        await owner.database.write(remove_items, owner.viewer, [card.item.id], now=now + timedelta(seconds=number))
    first = await owner.database.read(list_removed, owner.viewer, PageRequest(limit=2), now=now)
    assert [entry.title for entry in first.entries] == ["2", "1"]
    rest = await owner.database.read(list_removed, owner.viewer, PageRequest(first.next_cursor, 2), now=now)
    assert ([entry.title for entry in rest.entries], rest.next_cursor) == (["0"], None)
    ids = [card.item.id for card in cards]
    assert await owner.database.write(restore_removed_items, other_owner.viewer, ids, now=now) == []
    assert await owner.database.write(forget_removed_items, other_owner.viewer, ids) == 0
    assert await owner.database.write(forget_removed_items, owner.viewer, ids[:1]) == 1
    assert await owner.database.write(restore_removed_items, owner.viewer, ids, now=now) == ids[1:]
    assert set(owner.cards()) == set(URLS[1:3])


async def test_after_thirty_days_a_removed_page_is_neither_listed_nor_restored(owner: Owner) -> None:
    card = await owner.save(URLS[0])
    now = utc_now()
    await owner.database.write(remove_items, owner.viewer, [card.item.id], now=now)
    late = now + RESTORE_WITHIN + timedelta(seconds=1)
    page = await owner.database.read(list_removed, owner.viewer, PageRequest(), now=late)
    assert page.entries == []
    assert await owner.database.write(restore_removed_items, owner.viewer, [card.item.id], now=late) == []


async def test_only_what_stands_in_a_list_is_shown_in_it(owner: Owner, other_owner: Owner) -> None:
    cards = [await owner.save(url, tags=["a"] if number else []) for number, url in enumerate(URLS[:3])]
    theirs = await other_owner.save(URLS[3])
    await owner.mark(cards[2], is_archived=True)
    ids = [*(card.item.id for card in cards), theirs.item.id]

    async def shown(listed: ItemList | None) -> set[str]:
        found = await owner.database.read(list_shown_cards, owner.viewer, listed, ids)
        return {card.item.url for card in found.cards}

    assert await shown(None) == set(URLS[:3])
    assert await shown(ItemList(filter=ItemFilter(is_archived=False))) == set(URLS[:2])
    assert await shown(ItemList(filter=ItemFilter(tag="a", is_archived=False))) == {URLS[1]}
    assert await shown(ItemList(ALL_LIBRARIES, ItemFilter(is_archived=True))) == {URLS[2]}
    assert await shown(ItemList(uuid4())) == set()


async def test_next_and_previous_go_along_the_list(owner: Owner) -> None:
    cards = [
        await owner.keep(url, "Title", "Words of moss.", tags=["x"] if n != 1 else []) for n, url in enumerate(URLS)
    ]

    async def around(number: int, listed: ItemList | None) -> tuple[str | None, str | None]:
        opened = await owner.database.read(open_article, owner.viewer, cards[number].item.id, listed)
        previous, following = opened.previous, opened.next
        return previous.item.url if previous else None, following.item.url if following else None

    assert await around(1, None) == (URLS[2], URLS[0])
    assert await around(2, ItemList(filter=ItemFilter(tag="x"))) == (URLS[3], URLS[0])
    assert await around(2, ItemList(filter=ItemFilter(tag="x", oldest_first=True))) == (URLS[0], URLS[3])
    for library in (None, ALL_LIBRARIES):
        by_date = ItemList(library, ItemFilter(oldest_first=True), "moss", by_date=True)
        assert await around(2, by_date) == (URLS[1], URLS[3])
        filtered = ItemList(library, ItemFilter(), "tag:x")
        assert await around(2, filtered) == (URLS[3], URLS[0])
    assert await around(0, ItemList(text="is:read")) == (None, None)


async def test_an_archived_page_saved_again_is_unarchived_and_newest(owner: Owner) -> None:
    first = await owner.save(URLS[0])
    await owner.save(URLS[1])
    await owner.mark(first, is_archived=True, is_favourite=True)
    again = await owner.save(URLS[0])
    assert (again.item.id, again.reading.is_archived, again.reading.is_favourite) == (first.item.id, False, True)
    assert again.item.created_at > owner.cards()[URLS[1]].item.created_at
    third = await owner.save(URLS[0])
    assert third.item.created_at == again.item.created_at
