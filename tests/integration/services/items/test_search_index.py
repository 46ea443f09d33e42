"""The search index follows what it indexes: edits, merges, removals, copies; and it tells nobody another's words."""

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import delete, func, select, text

from kept.clock import utc_now
from kept.content.search.words import WORDS_VERSION
from kept.domain.errors import NotFound
from kept.domain.library import Role
from kept.services.items.changes import ItemChange, ItemsChange, change_item, change_items
from kept.services.items.moving import move_item
from kept.services.items.removal import remove_items, restore_items
from kept.services.libraries.libraries import create_library
from kept.services.maintenance.search_index import reindex, start_reindex
from kept.services.pages.identity import merge_media
from kept.storage import libraries, tables
from kept.storage.database.engine import Connection, Database
from support.builders import rows
from support.builders.libraries import Owner
from support.fixtures.transactions import reading, writing

pytestmark = pytest.mark.requirement("Kept", "nobody finds a page by another's words; the index follows every change")

PAGE = "https://example.org/page"
STORM = "Nobody thought of the storm to come."


def count_words(database: Database) -> dict[str, int]:
    """Rows of each index."""
    found = {}
    with reading(database) as tx:
        for name in ("item_words", "card_words", "page_words"):
            rows = f"SELECT count(*) FROM {name + '_docsize' if database.is_sqlite else name}"
            found[name] = tx.execute(text(rows)).scalar_one()
    return found


async def test_nobody_finds_what_only_another_has_or_says(owner: Owner, other_owner: Owner) -> None:
    await owner.keep(PAGE, "Harbour", STORM, tags=["seaside"])
    only_anns = await owner.keep("https://example.org/private", "Secret", "The treasure is buried here.")
    shared = await other_owner.save(PAGE, title="Bob's own", note="boats", tags=["bobs"])
    assert await other_owner.found("treasure") == []
    assert await other_owner.found("seaside") == [], "a tag of another library"
    assert await other_owner.found("storm seaside") == [], "nor mixed with what is shared"
    assert await other_owner.found("storm -seaside") == [shared.item.id], "nor by what it leaves out"
    assert await other_owner.found("tag:seaside") == []
    assert await other_owner.found("storm harbour boats") == [shared.item.id]
    for query in ("boats", "bobs", "own", "storm boats", "tag:bobs", "storm bobs"):
        assert await owner.found(query) == [], query
    assert await owner.found("treasure") == [only_anns.item.id]


async def test_a_library_is_searched_by_its_members_only(owner: Owner, other_owner: Owner, database: Database) -> None:
    team = await database.write(create_library, owner.viewer, name="Team", now=utc_now())
    kept = await owner.save(PAGE, note="for the team", library_id=team.id)
    with pytest.raises(NotFound):
        await other_owner.found("team", library_id=team.id)
    with writing(database) as tx:
        libraries.insert_member(tx, team.id, other_owner.viewer.user_id, Role.MEMBER, utc_now())
    assert await other_owner.found("team", library_id=team.id) == [kept.item.id]
    assert await other_owner.found("team") == [], "their own library is another"
    assert await owner.found("team") == [], "the note is Team's, though the page is in ann's own library, too"
    assert len(await owner.found("page")) == 1


async def test_edits_are_found_at_once_and_what_was_there_before_is_not(owner: Owner, database: Database) -> None:
    kept = await owner.keep(PAGE, "Harbour", STORM)

    async def edit(**words: str | None) -> None:
        await database.write(change_item, owner.viewer, kept.item.id, ItemChange(dict(words)), now=utc_now())

    await edit(title="My heading", note="remember this", excerpt="in short")
    for query in ("heading", "remember", "short", "harbour"):
        assert await owner.found(query) == [kept.item.id], query
    await edit(title=None, note="forget it")
    assert await owner.found("heading") == []
    assert await owner.found("remember") == []
    assert await owner.found("forget") == [kept.item.id]
    change = ItemChange({}, tags=("one",))
    await database.write(change_item, owner.viewer, kept.item.id, change, now=utc_now())
    await database.write(change_items, owner.viewer, [kept.item.id], ItemsChange(add_tags=("two",)), now=utc_now())
    assert await owner.found("one two forget storm") == [kept.item.id]
    await owner.save(PAGE, note="said again", tags=["three"])
    assert await owner.found("three again forget") == [kept.item.id]


async def test_what_is_removed_is_not_found_until_it_comes_back(owner: Owner, database: Database) -> None:
    kept = await owner.keep(PAGE, "Harbour", STORM, tags=["seaside"])
    batch = (await database.write(remove_items, owner.viewer, [kept.item.id], now=utc_now())).undo
    assert batch is not None
    assert await owner.found("storm") == []
    assert count_words(database)["item_words"] == 0
    await database.write(restore_items, owner.viewer, batch, now=utc_now())
    assert await owner.found("storm seaside") == [kept.item.id]


async def test_what_goes_takes_its_words_along(owner: Owner, other_owner: Owner, database: Database) -> None:
    await owner.keep(PAGE, "Harbour", STORM)
    await other_owner.save(PAGE)
    assert count_words(database) == {"item_words": 2, "card_words": 1, "page_words": 1}
    with writing(database) as tx:
        tx.execute(delete(tables.users).where(tables.users.c.id == owner.viewer.user_id))
    assert count_words(database) == {"item_words": 1, "card_words": 1, "page_words": 1}
    assert len(await other_owner.found("storm")) == 1
    with writing(database) as tx:
        tx.execute(delete(tables.media))
    assert count_words(database) == {"item_words": 0, "card_words": 0, "page_words": 0}


async def test_two_pages_that_turn_out_to_be_one_are_found_once_with_all_their_words(
    owner: Owner, other_owner: Owner, database: Database
) -> None:
    winner = await owner.keep(PAGE, "Harbour", STORM)
    loser = await owner.save("https://example.org/page?from=mail", note="from a friend", tags=["mail"])
    await other_owner.save("https://example.org/page?from=mail", note="bobs note")
    with writing(database) as tx:
        merge_media(tx, loser.media.id, winner.media.id, actor_user_id=None, now=utc_now())
    assert await owner.found("storm friend mail") == [winner.item.id]
    assert len(await other_owner.found("storm bobs")) == 1
    assert count_words(database)["card_words"] == 1


async def test_a_moved_item_takes_its_words_to_the_other_library(owner: Owner, database: Database) -> None:
    team = await database.write(create_library, owner.viewer, name="Team", now=utc_now())
    kept = await owner.keep(PAGE, "Harbour", STORM, tags=["seaside"])
    await database.write(move_item, owner.viewer, kept.item.id, team.id, now=utc_now())
    assert await owner.found("seaside storm", library_id=team.id) == [kept.item.id]
    assert await owner.found("tag:seaside storm", library_id=team.id) == [kept.item.id]
    assert await owner.found("seaside") == []
    assert len(await owner.found("storm")) == 1, "one's own library still has the page"


async def test_a_new_number_never_takes_an_old_ones_words(owner: Owner, database: Database) -> None:
    kept = await owner.keep(PAGE, "Harbour", STORM)
    with writing(database) as tx:
        tx.execute(delete(tables.media).where(tables.media.c.id == kept.media.id))
    other = await owner.keep("https://example.org/other", "Other", "Something else.")
    assert await owner.found("storm") == []
    assert await owner.found("something") == [other.item.id]


def empty_the_index(database: Database) -> None:
    """As an upgrade from a version without search leaves it."""
    with writing(database) as tx:
        tx.execute(delete(tables.search_items))
        tx.execute(delete(tables.search_media))


async def test_reindexing_finds_everything_again(owner: Owner, database: Database) -> None:
    kept = [await owner.keep(f"{PAGE}/{number}", f"Page {number}", STORM, tags=["t"]) for number in range(45)]
    before = count_words(database)
    empty_the_index(database)
    assert await owner.found("storm") == []
    steps: list[int] = []
    assert await reindex(database, advance=steps.append) == 90
    assert sum(steps) == 90
    assert max(steps) <= 20
    assert count_words(database) == before
    assert len((await owner.search("storm t", limit=100)).results) == len(kept)
    assert await reindex(database) == 0, "nothing is left to do"


async def test_a_reindexing_that_was_broken_off_goes_on(owner: Owner, database: Database) -> None:
    for number in range(3):
        await owner.keep(f"{PAGE}/{number}", "Page", STORM)
    assert await database.write(start_reindex) == 6
    assert len(await owner.found("storm")) == 3, "all is found meanwhile"
    with writing(database) as tx:
        tx.execute(tables.search_media.update().values(version=WORDS_VERSION))
    assert await database.write(start_reindex) == 3, "the pages are done"
    assert await reindex(database) == 3
    assert await database.write(start_reindex) == 6, "and then from the beginning"


async def test_the_index_rolls_back_with_its_transaction(owner: Owner, database: Database) -> None:
    kept = await owner.keep(PAGE, "Harbour", STORM)

    def remove_and_fail(tx: Connection) -> None:
        tx.execute(delete(tables.media).where(tables.media.c.id == kept.media.id))
        raise RuntimeError("the power goes")

    with pytest.raises(RuntimeError):
        await database.write(remove_and_fail)
    assert await owner.found("storm") == [kept.item.id]


async def test_a_large_library_is_searched_by_the_same_rules(owner: Owner, database: Database) -> None:
    """Above a few thousand items the database is asked otherwise; with many that match, the newest are ranked."""
    first = await owner.keep("https://example.org/first", "The rare quokka", "Quokka and storm.", tags=["zoo"])
    await crowd(owner, database, 2_200)
    other = await owner.keep("https://example.net/last", "Last", "Storm and quokka, and crowd, too.", tags=["crowd"])
    assert set(await owner.found("quokka")) == {first.item.id, other.item.id}
    assert (await owner.found("quokka"))[0] == first.item.id
    assert len((await owner.search("crowd", limit=100)).results) == 100
    assert await owner.found("crowd tag:crowd") == [other.item.id]
    assert await owner.found("storm zoo") == [first.item.id]
    assert await owner.found("quokka -crowd") == [first.item.id]
    assert await owner.found("crowd site:example.net") == [other.item.id]
    assert await owner.found("quokka is:favourite") == []
    await owner.mark(first, is_favourite=True)
    assert await owner.found("quokka is:favourite") == [first.item.id]
    assert await owner.found("quokka is:archived") == []


async def crowd(owner: Owner, database: Database, count: int) -> None:
    at = rows.AT
    with writing(database) as tx:
        media = [
            {"id": UUID(int=number + 1), "kind": "web_article", "source_url": "https://example.org/", "metadata": {}}
            | {"enrichment_status": "succeeded", "processing_status": "pending", "processing_attempts": 0, "version": 1}
            | {"title": f"Crowd {number}", "created_at": at, "updated_at": at}
            for number in range(count)
        ]
        items = [
            {"id": UUID(int=number + 1), "library_id": owner.library_id, "media_id": UUID(int=number + 1)}
            | {"url": f"https://example.org/{number}", "created_at": at + timedelta(seconds=number), "updated_at": at}
            for number in range(count)
        ]
        tx.execute(tables.media.insert(), media)
        tx.execute(tables.items.insert(), items)
    await reindex(database, gently=True)
    with reading(database) as tx:
        assert tx.execute(select(func.count()).select_from(tables.search_items)).scalar_one() == count + 1
