"""What a process of an older version writes after an upgrade, while it is being replaced, is not lost for search.

Its statements are those of the services before there was an index: rows of media, items, tags and fragments.
"""

from uuid import UUID

import pytest
from sqlalchemy import delete, func, select, update

from kept.clock import utc_now
from kept.content.search.words import WORDS_VERSION
from kept.ids import new_id
from kept.services.items.changes import ItemChange, ItemsChange, change_item, change_items
from kept.services.items.moving import move_item
from kept.services.items.removal import remove_items, restore_items
from kept.services.libraries.libraries import create_library
from kept.services.maintenance import search_index as marked
from kept.services.maintenance.search_index import index_marked
from kept.storage import tables
from kept.storage.database.engine import Connection, Database
from kept.storage.search import index as search_index
from support.builders import rows
from support.builders.libraries import Owner
from support.fixtures.transactions import reading, writing

pytestmark = pytest.mark.requirement("Kept", "search finds what older processes write after `kept migrate`")

PAGE = "https://example.org/page"
STORM = "Nobody thought of the storm to come."


def store_article_without_index(tx: Connection, media_id: UUID, said: str) -> None:
    at = rows.AT
    fragment = {"id": new_id(), "media_id": media_id, "ordinal": 0, "html_sanitized": "<p></p>", "created_at": at}
    tx.execute(tables.fragments.insert().values(fragment | {"canonical_text": said, "canonical_version": 1}))


def count_marked(database: Database) -> int:
    with reading(database) as tx:
        return sum(len(ids) for ids in search_index.list_marked(tx, 1_000))


async def test_a_page_saved_and_read_without_being_indexed_is_found(owner: Owner, database: Database) -> None:
    with writing(database) as tx:
        media_id = rows.insert_media(tx, title="The harbour")
        item_id = rows.insert_item(tx, owner.library_id, media_id)
        store_article_without_index(tx, media_id, STORM)

    await index_marked(database)

    for query in ("storm", "harbour", "storm site:example.org"):
        assert await owner.found(query) == [item_id], query


async def test_an_article_added_to_a_page_that_was_indexed_is_found(owner: Owner, database: Database) -> None:
    """Saved by a process of this version, read by a worker of an older one."""
    saved = await owner.save(PAGE)
    await index_marked(database)
    with writing(database) as tx:
        store_article_without_index(tx, saved.media.id, STORM)
        tx.execute(update(tables.media).values(title="The harbour", excerpt="By the sea"))

    await index_marked(database)

    assert await owner.found("storm harbour sea") == [saved.item.id]


async def test_what_was_said_anew_is_found_and_what_was_said_before_is_not(owner: Owner, database: Database) -> None:
    kept = await owner.keep(PAGE, "Harbour", STORM, tags=["seaside"])
    await owner.save(PAGE, note="boats")
    tag_id = new_id()
    with writing(database) as tx:
        tx.execute(update(tables.items).values(note="ferries", title="My own"))
        tx.execute(delete(tables.item_tags))
        tx.execute(tables.tags.insert().values(id=tag_id, library_id=owner.library_id, name="ports"))
        tx.execute(tables.item_tags.insert().values(item_id=kept.item.id, tag_id=tag_id))

    await index_marked(database)

    assert await owner.found("ferries own ports storm") == [kept.item.id]
    for query in ("boats", "seaside"):
        assert await owner.found(query) == [], query


async def test_more_than_a_few_are_indexed_too(
    owner: Owner, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marked, "MOST", 30)
    with writing(database) as tx:
        for number in range(45):
            media_id = rows.insert_media(tx, title=f"Page {number}", source_url=f"{PAGE}/{number}")
            rows.insert_item(tx, owner.library_id, media_id)

    await index_marked(database)

    assert len((await owner.search("page", limit=100)).results) == 45
    assert count_marked(database) == 0


async def test_what_this_version_does_leaves_nothing_to_index(owner: Owner, database: Database) -> None:
    kept = await owner.keep(PAGE, "Harbour", STORM, tags=["seaside"])
    team = await database.write(create_library, owner.viewer, name="Team", now=utc_now())
    change = ItemChange({"title": "My own"}, tags=("one",))
    await database.write(change_item, owner.viewer, kept.item.id, change, now=utc_now())
    await database.write(change_items, owner.viewer, [kept.item.id], ItemsChange(add_tags=("two",)), now=utc_now())
    removed = await database.write(remove_items, owner.viewer, [kept.item.id], now=utc_now())
    assert removed.undo is not None
    await database.write(restore_items, owner.viewer, removed.undo, now=utc_now())
    await database.write(move_item, owner.viewer, kept.item.id, team.id, now=utc_now())
    await owner.save(PAGE, note="again", tags=["three"])
    assert count_marked(database) == 0


async def test_nothing_is_indexed_again_that_did_not_change(owner: Owner, database: Database) -> None:
    await owner.keep(PAGE, "Harbour", STORM)
    with writing(database) as tx:
        tx.execute(update(tables.items).values(updated_at=utc_now(), note=tables.items.c.note))
        tx.execute(update(tables.media).values(updated_at=utc_now(), title="Harbour"))
    assert count_marked(database) == 0


async def test_every_row_has_one_number(owner: Owner, database: Database) -> None:
    kept = await owner.keep(PAGE, "Harbour", STORM)
    with reading(database) as tx:
        for numbers, key in (
            (tables.search_items, tables.search_items.c.item_id),
            (tables.search_media, tables.search_media.c.media_id),
        ):
            assert tx.execute(select(func.count()).select_from(numbers)).scalar_one() == 1
            [row] = tx.execute(select(key, numbers.c.version))
            assert row == ((kept.item.id if numbers is tables.search_items else kept.media.id), WORDS_VERSION)
