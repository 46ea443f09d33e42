"""The search index follows what it indexes: edits, merges, removals, copies; and it tells nobody another's words."""

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import delete, func, select, text

from kept.clock import utc_now
from kept.content.search.words import WORDS_VERSION
from kept.domain.errors import NotFound
from kept.domain.library import Role
from kept.services.ingesting.merge_media import merge_media
from kept.services.items.change_item import ItemChange, change_item
from kept.services.items.change_items import change_items
from kept.services.items.move_item import move_item
from kept.services.items.remove_items import remove_items, restore_items
from kept.services.libraries.create_library import create_library
from kept.services.maintenance.reindex import reindex
from kept.services.maintenance.start_reindex import start_reindex
from kept.storage import libraries, tables
from kept.storage.database.engine import Database
from support import rows
from support.shelves import Shelf, open_shelf
from support.transactions import reading, writing

PAGE = "https://example.org/page"
STORM = "Nobody thought of the storm to come."


@pytest.fixture
def ann(database: Database) -> Shelf:
    return open_shelf(database, "ann")


@pytest.fixture
def bob(database: Database) -> Shelf:
    return open_shelf(database, "bob")


def count_words(database: Database) -> dict[str, int]:
    """Rows of each index."""
    found = {}
    with reading(database) as tx:
        for name in ("item_words", "card_words", "page_words"):
            rows = f"SELECT count(*) FROM {name + '_docsize' if database.is_sqlite else name}"
            found[name] = tx.execute(text(rows)).scalar_one()
    return found


async def test_nobody_finds_what_only_another_has_or_says(ann: Shelf, bob: Shelf) -> None:
    await ann.keep(PAGE, "Harbour", STORM, tags=["seaside"])
    only_anns = await ann.keep("https://example.org/private", "Secret", "The treasure is buried here.")
    shared = await bob.save(PAGE, title="Bob's own", note="boats", tags=["bobs"])
    assert await bob.found("treasure") == []
    assert await bob.found("seaside") == [], "a tag of another library"
    assert await bob.found("storm seaside") == [], "nor mixed with what is shared"
    assert await bob.found("storm -seaside") == [shared.item_id], "nor by what it leaves out"
    assert await bob.found("tag:seaside") == []
    assert await bob.found("storm harbour boats") == [shared.item_id]
    for query in ("boats", "bobs", "own", "storm boats", "tag:bobs", "storm bobs"):
        assert await ann.found(query) == [], query
    assert await ann.found("treasure") == [only_anns.item_id]


async def test_a_library_is_searched_by_its_members_only(ann: Shelf, bob: Shelf, database: Database) -> None:
    team = await create_library(database, ann.viewer, name="Team", now=utc_now())
    kept = await ann.save(PAGE, note="for the team", library_id=team.id)
    with pytest.raises(NotFound):
        await bob.found("team", library_id=team.id)
    with writing(database) as tx:
        libraries.insert_member(tx, team.id, bob.viewer.user_id, Role.MEMBER, utc_now())
    assert await bob.found("team", library_id=team.id) == [kept.item_id]
    assert await bob.found("team") == [], "their own library is another"
    assert await ann.found("team") == [], "the note is Team's, though the page is in ann's own library, too"
    assert len(await ann.found("page")) == 1


async def test_edits_are_found_at_once_and_what_was_there_before_is_not(ann: Shelf, database: Database) -> None:
    kept = await ann.keep(PAGE, "Harbour", STORM)

    async def edit(**words: str | None) -> None:
        await change_item(database, ann.viewer, kept.item_id, ItemChange(dict(words)), now=utc_now())

    await edit(title="My heading", note="remember this", excerpt="in short")
    for query in ("heading", "remember", "short", "harbour"):
        assert await ann.found(query) == [kept.item_id], query
    await edit(title=None, note="forget it")
    assert await ann.found("heading") == []
    assert await ann.found("remember") == []
    assert await ann.found("forget") == [kept.item_id]
    change = ItemChange({}, tags=("one",))
    await change_item(database, ann.viewer, kept.item_id, change, now=utc_now())
    await change_items(database, ann.viewer, [kept.item_id], ItemChange({}), add_tags=["two"], now=utc_now())
    assert await ann.found("one two forget storm") == [kept.item_id]
    await ann.save(PAGE, note="said again", tags=["three"])
    assert await ann.found("three again forget") == [kept.item_id]


async def test_what_is_removed_is_not_found_until_it_comes_back(ann: Shelf, database: Database) -> None:
    kept = await ann.keep(PAGE, "Harbour", STORM, tags=["seaside"])
    batch = await remove_items(database, ann.viewer, [kept.item_id], now=utc_now())
    assert await ann.found("storm") == []
    assert count_words(database)["item_words"] == 0
    await restore_items(database, ann.viewer, batch, now=utc_now())
    assert await ann.found("storm seaside") == [kept.item_id]


async def test_what_goes_takes_its_words_along(ann: Shelf, bob: Shelf, database: Database) -> None:
    await ann.keep(PAGE, "Harbour", STORM)
    await bob.save(PAGE)
    assert count_words(database) == {"item_words": 2, "card_words": 1, "page_words": 1}
    with writing(database) as tx:
        tx.execute(delete(tables.users).where(tables.users.c.id == ann.viewer.user_id))
    assert count_words(database) == {"item_words": 1, "card_words": 1, "page_words": 1}
    assert len(await bob.found("storm")) == 1
    with writing(database) as tx:
        tx.execute(delete(tables.media))
    assert count_words(database) == {"item_words": 0, "card_words": 0, "page_words": 0}


async def test_two_pages_that_turn_out_to_be_one_are_found_once_with_all_their_words(
    ann: Shelf, bob: Shelf, database: Database
) -> None:
    winner = await ann.keep(PAGE, "Harbour", STORM)
    loser = await ann.save("https://example.org/page?from=mail", note="from a friend", tags=["mail"])
    await bob.save("https://example.org/page?from=mail", note="bobs note")
    with writing(database) as tx:
        merge_media(tx, loser.media_id, winner.media_id, actor_user_id=None, now=utc_now())
    assert await ann.found("storm friend mail") == [winner.item_id]
    assert len(await bob.found("storm bobs")) == 1
    assert count_words(database)["card_words"] == 1


async def test_a_moved_item_takes_its_words_to_the_other_library(ann: Shelf, database: Database) -> None:
    team = await create_library(database, ann.viewer, name="Team", now=utc_now())
    kept = await ann.keep(PAGE, "Harbour", STORM, tags=["seaside"])
    await move_item(database, ann.viewer, kept.item_id, team.id, now=utc_now())
    assert await ann.found("seaside storm", library_id=team.id) == [kept.item_id]
    assert await ann.found("tag:seaside storm", library_id=team.id) == [kept.item_id]
    assert await ann.found("seaside") == []
    assert len(await ann.found("storm")) == 1, "one's own library still has the page"


async def test_a_new_number_never_takes_an_old_ones_words(ann: Shelf, database: Database) -> None:
    kept = await ann.keep(PAGE, "Harbour", STORM)
    with writing(database) as tx:
        tx.execute(delete(tables.media).where(tables.media.c.id == kept.media_id))
    other = await ann.keep("https://example.org/other", "Other", "Something else.")
    assert await ann.found("storm") == []
    assert await ann.found("something") == [other.item_id]


def empty_the_index(database: Database) -> None:
    """As an upgrade from a version without search leaves it."""
    with writing(database) as tx:
        tx.execute(delete(tables.search_items))
        tx.execute(delete(tables.search_media))


async def test_reindexing_finds_everything_again(ann: Shelf, database: Database) -> None:
    kept = [await ann.keep(f"{PAGE}/{number}", f"Page {number}", STORM, tags=["t"]) for number in range(45)]
    before = count_words(database)
    empty_the_index(database)
    assert await ann.found("storm") == []
    steps: list[int] = []
    assert await reindex(database, advance=steps.append) == 90
    assert sum(steps) == 90
    assert max(steps) <= 20
    assert count_words(database) == before
    assert len((await ann.search("storm t", limit=100)).results) == len(kept)
    assert await reindex(database) == 0, "nothing is left to do"


async def test_a_reindexing_that_was_broken_off_goes_on(ann: Shelf, database: Database) -> None:
    for number in range(3):
        await ann.keep(f"{PAGE}/{number}", "Page", STORM)
    assert await start_reindex(database) == 6
    assert len(await ann.found("storm")) == 3, "all is found meanwhile"
    with writing(database) as tx:
        tx.execute(tables.search_media.update().values(version=WORDS_VERSION))
    assert await start_reindex(database) == 3, "the pages are done"
    assert await reindex(database) == 3
    assert await start_reindex(database) == 6, "and then from the beginning"


async def test_the_index_rolls_back_with_its_transaction(ann: Shelf, database: Database) -> None:
    kept = await ann.keep(PAGE, "Harbour", STORM)

    def interrupted() -> None:
        with writing(database) as tx:
            tx.execute(delete(tables.media).where(tables.media.c.id == kept.media_id))
            raise RuntimeError("the power goes")

    with pytest.raises(RuntimeError):
        interrupted()
    assert await ann.found("storm") == [kept.item_id]


async def test_a_large_library_is_searched_by_the_same_rules(ann: Shelf, database: Database) -> None:
    """Above a few thousand items the database is asked otherwise; with many that match, the newest are ranked."""
    first = await ann.keep("https://example.org/first", "The rare quokka", "Quokka and storm.", tags=["zoo"])
    await crowd(ann, database, 2_200)
    other = await ann.keep("https://example.net/last", "Last", "Storm and quokka, and crowd, too.", tags=["crowd"])
    assert set(await ann.found("quokka")) == {first.item_id, other.item_id}
    assert (await ann.found("quokka"))[0] == first.item_id
    assert len((await ann.search("crowd", limit=100)).results) == 100
    assert await ann.found("crowd tag:crowd") == [other.item_id]
    assert await ann.found("storm zoo") == [first.item_id]
    assert await ann.found("quokka -crowd") == [first.item_id]
    assert await ann.found("crowd site:example.net") == [other.item_id]
    assert await ann.found("quokka is:favourite") == []
    await change_item(database, ann.viewer, first.item_id, ItemChange({}, is_favourite=True), now=utc_now())
    assert await ann.found("quokka is:favourite") == [first.item_id]
    assert await ann.found("quokka is:archived") == []


async def crowd(shelf: Shelf, database: Database, count: int) -> None:
    at = rows.AT
    with writing(database) as tx:
        library_id = libraries.get_default_library_id(tx, shelf.viewer.user_id)
        media = [
            {"id": UUID(int=number + 1), "kind": "web_article", "source_url": "https://example.org/", "metadata": {}}
            | {"enrichment_status": "succeeded", "processing_status": "pending", "processing_attempts": 0, "version": 1}
            | {"title": f"Crowd {number}", "created_at": at, "updated_at": at}
            for number in range(count)
        ]
        items = [
            {"id": UUID(int=number + 1), "library_id": library_id, "media_id": UUID(int=number + 1)}
            | {"url": f"https://example.org/{number}", "created_at": at + timedelta(seconds=number), "updated_at": at}
            for number in range(count)
        ]
        tx.execute(tables.media.insert(), media)
        tx.execute(tables.items.insert(), items)
    await reindex(database, gently=True)
    with reading(database) as tx:
        assert tx.execute(select(func.count()).select_from(tables.search_items)).scalar_one() == count + 1
