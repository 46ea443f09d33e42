"""What the database itself refuses, on SQLite and PostgreSQL alike."""

from collections.abc import Callable

import pytest
from sqlalchemy import delete, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from kept.domain.errors import LostRace
from kept.domain.lifecycle import EnrichmentStatus, LifecycleState, ProcessingStatus, WrongTransition
from kept.ids import new_id
from kept.storage import highlights, lifecycles, tables
from kept.storage.database.engine import Connection, Database
from kept.storage.search import index
from support.builders import rows
from support.builders.rows import AT
from support.fixtures.transactions import reading, writing

pytestmark = pytest.mark.requirement("002", "§4 atomicity, §12 one fragment, immutable")

Attempt = Callable[[Connection], object]


def refuses(database: Database, attempt: Attempt, error: type[Exception] = DBAPIError) -> None:
    with pytest.raises(error), writing(database) as tx:
        attempt(tx)


@pytest.mark.requirement("002", "§12 exactly one fragment, whatever happens")
def test_a_media_has_one_fragment_and_it_never_changes(database: Database) -> None:
    with writing(database) as tx:
        media_id = rows.insert_media(tx)
        rows.insert_fragment(tx, media_id)
    refuses(database, lambda tx: rows.insert_fragment(tx, media_id), IntegrityError)
    refuses(database, lambda tx: rows.insert_fragment(tx, media_id, ordinal=1), IntegrityError)
    refuses(database, lambda tx: tx.execute(update(tables.fragments).values(html_sanitized="")))
    refuses(database, lambda tx: tx.execute(delete(tables.fragments)))


def test_history_never_changes(database: Database) -> None:
    with writing(database) as tx:
        rows.insert_media(tx)
    refuses(database, lambda tx: tx.execute(update(tables.transitions).values(to_state="failed")))
    refuses(database, lambda tx: tx.execute(delete(tables.transitions)))


def test_a_media_takes_its_fragment_and_history_with_it(database: Database) -> None:
    with writing(database) as tx:
        media_id = rows.insert_media(tx)
        rows.insert_fragment(tx, media_id)
        tx.execute(delete(tables.media))
    with reading(database) as tx:
        for table in (tables.media, tables.fragments, tables.transitions):
            assert tx.execute(select(table)).all() == []


def test_a_library_holds_a_media_once(database: Database) -> None:
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        media_id = rows.insert_media(tx)
        rows.insert_item(tx, library_id, media_id)
    refuses(database, lambda tx: rows.insert_item(tx, library_id, media_id), IntegrityError)


@pytest.mark.requirement("002", "§12 two users, one row; `canonical_url` unique in the database")
def test_a_canonical_url_names_one_media_and_null_any_number(database: Database) -> None:
    with writing(database) as tx:
        rows.insert_media(tx, canonical_url=None)
        rows.insert_media(tx, canonical_url=None)
        rows.insert_media(tx, canonical_url="https://example.org/a")
    refuses(database, lambda tx: rows.insert_media(tx, canonical_url="https://example.org/a"), IntegrityError)


@pytest.mark.parametrize(
    "columns",
    [
        {"processing_status": "processing"},
        {"enrichment_status": "done"},
        {"failure_stage": "upload"},
        {"kind": "video"},
    ],
)
def test_an_unknown_state_is_refused(database: Database, columns: dict[str, str]) -> None:
    refuses(database, lambda tx: rows.insert_media(tx, **columns), IntegrityError)


def test_a_user_has_one_default_library(database: Database) -> None:
    with writing(database) as tx:
        user_id, _ = rows.insert_user(tx)
        rows.insert_library(tx, user_id, new_id())
    refuses(database, lambda tx: rows.insert_library(tx, user_id, new_id(), is_default=True), IntegrityError)


def test_a_reference_to_nothing_is_refused(database: Database) -> None:
    refuses(database, lambda tx: rows.insert_fragment(tx, new_id()), IntegrityError)


def test_a_highlight_has_a_known_colour_and_a_whole_span_and_goes_with_its_media(database: Database) -> None:
    with writing(database) as tx:
        user_id, _ = rows.insert_user(tx)
        media_id = rows.insert_media(tx)
        made = rows.insert_highlight(tx, user_id, media_id)
        index.index_highlights(tx, [made])
    for columns in ({"colour": "mauve"}, {"start_offset": 3}, {"start_offset": 3, "end_offset": 3}):
        refuses(database, lambda tx: highlights.update_highlight(tx, made.id, **columns), IntegrityError)  # noqa: B023
    with writing(database) as tx:
        assert highlights.list_of_media(tx, user_id, [media_id]) == {media_id: [made]}
        tx.execute(delete(tables.media))
        assert tx.execute(select(tables.highlights.c.id)).all() == []
        assert tx.execute(select(tables.search_highlights.c.no)).all() == []
        assert tx.execute(text("SELECT count(*) FROM highlight_words")).scalar_one() == 0


def test_a_library_knows_the_search_numbers_of_what_it_holds_and_of_what_moves(database: Database) -> None:
    held = tables.library_numbers
    with writing(database) as tx:
        (_, first), (_, second) = rows.insert_user(tx), rows.insert_user(tx, "ben")
        media_id, other = rows.insert_media(tx), rows.insert_media(tx)
        rows.insert_item(tx, first, media_id)
        numbers = {row.media_id: row.no for row in tx.execute(select(tables.search_media))}
        item_no = tx.execute(select(tables.search_items.c.no)).scalar_one()
        assert tx.execute(select(held)).all() == [(item_no, first, numbers[media_id])]
        tx.execute(update(tables.items).values(library_id=second, media_id=other))
        assert tx.execute(select(held)).all() == [(item_no, second, numbers[other])]
        tx.execute(delete(tables.items))
        assert tx.execute(select(held)).all() == []


@pytest.mark.requirement("003", "§3.2 states and transitions")
def test_of_two_moves_from_one_standing_the_second_loses(database: Database) -> None:
    with writing(database) as tx:
        media_id = rows.insert_media(tx)
        standing = lifecycles.find_state(tx, media_id)
        assert standing == LifecycleState(media_id, ProcessingStatus.PENDING, EnrichmentStatus.PENDING, 1)
        lifecycles.apply_move(tx, standing, ProcessingStatus.EXTRACTING, at=AT, processing_attempts=1)
    refuses(database, lambda tx: lifecycles.apply_move(tx, standing, ProcessingStatus.FAILED, at=AT), LostRace)
    with reading(database) as tx:
        history = lifecycles.list_transitions(tx, media_id)
    assert [(line.sort_key, line.from_state, line.to_state) for line in history] == [
        (1, None, "pending"),
        (2, "pending", "extracting"),
    ]


@pytest.mark.requirement("003", "§3.2 states and transitions")
def test_a_wrong_transition_reaches_no_table(database: Database) -> None:
    with writing(database) as tx:
        media_id = rows.insert_media(tx)
        standing = lifecycles.find_state(tx, media_id)
        assert standing is not None
    refuses(
        database,
        lambda tx: lifecycles.apply_move(tx, standing, ProcessingStatus.READY_FOR_READING, at=AT),
        WrongTransition,
    )
    with reading(database) as tx:
        assert lifecycles.find_state(tx, media_id) == standing


def test_instants_come_back_as_they_went_in(database: Database) -> None:
    with writing(database) as tx:
        rows.insert_media(tx)
    with reading(database) as tx:
        assert tx.execute(select(tables.media.c.created_at)).scalar_one() == AT


@pytest.mark.requirement("002", "§12 no partial fragment of a failed ingestion")
def test_a_failed_transaction_leaves_nothing(database: Database) -> None:
    def fail(tx: Connection) -> None:
        rows.insert_media(tx)
        raise RuntimeError("power cut")

    refuses(database, fail, RuntimeError)
    with reading(database) as tx:
        assert tx.execute(select(tables.media)).all() == []


async def test_sqlite_readers_cannot_write(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with pytest.raises(DBAPIError, match="readonly"), reading(database) as tx:
        rows.insert_media(tx)
    await database.close()
