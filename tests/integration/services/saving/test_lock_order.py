"""Whoever locks a media and its job, or its items, locks the media first: else two of them wait for each other."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast
from uuid import UUID

import pytest
from sqlalchemy import delete, select, text, update

from kept.clock import utc_now
from kept.config import Settings
from kept.content.search.words import WORDS_VERSION
from kept.domain.account import Scope, User, Viewer
from kept.domain.job import ClaimedJob, JobKind, Queue
from kept.domain.lifecycle import ProcessingStatus
from kept.ids import new_media_id
from kept.services.ingesting.articles import FollowUps, store_article
from kept.services.maintenance.search_index import index_marked, reindex
from kept.services.pages.identity import merge_media
from kept.services.saving.links import LinkToSave, Placed, create_or_attach_item
from kept.storage import media, tables
from kept.storage.database.engine import Database
from kept.storage.queue import queue
from kept.storage.queue.claiming import claim
from kept.storage.search import index as search_index
from kept.urls.given import GivenUrl
from kept.urls.url import get_url
from support.builders import rows
from support.builders.jobs import RULES, ask, new_job
from support.builders.libraries import make_owner
from support.fixtures.databases import copy_postgres
from support.fixtures.transactions import reading, writing
from support.fixtures.waiting import until

pytestmark = pytest.mark.requirement("Kept", "no deadlocks on PostgreSQL")


@pytest.fixture
async def database_on_postgres(postgres_server: str, postgres_template: str) -> AsyncIterator[Database]:
    database = Database(Settings(database_url=copy_postgres(postgres_server, postgres_template)).sqlalchemy_url)
    yield database
    await database.close()


@pytest.fixture
def claimed(database_on_postgres: Database) -> tuple[Database, ClaimedJob]:
    database = database_on_postgres
    media_id, now = new_media_id(), utc_now()
    with writing(database) as tx:
        media.insert_media(tx, media_id, "https://example.org/", ProcessingStatus.PENDING, now)
    ask(database, new_job(media_id))
    with writing(database) as tx:
        job = claim(tx, Queue.INGEST, [JobKind.INGEST], now=utc_now(), rules=RULES)
    assert isinstance(job, ClaimedJob)
    return database, job


async def test_a_save_that_fills_a_card_and_a_worker_that_keeps_the_article_do_not_deadlock(
    claimed: tuple[Database, ClaimedJob],
) -> None:
    database, job = claimed

    follow_ups = FollowUps(store_images=False, screenshot=False)
    with writing(database) as tx:  # as fill_card does it: the media, then its job
        media.find_media(tx, job.subject_id, lock=True)
        keeping = asyncio.create_task(database.write(store_article, job, cast("Any", None), follow_ups, now=utc_now()))
        await until(lambda: somebody_waits(database), what="the worker's wait")
        assert not queue.bring_forward(tx, JobKind.INGEST, job.subject_id, now=utc_now(), host=None)
    await keeping
    with reading(database) as tx:
        assert queue.find_job(tx, JobKind.INGEST, job.subject_id) is None


@pytest.fixture
def known_page(database_on_postgres: Database) -> tuple[Viewer, UUID, UUID]:
    """Somebody whose library holds one of two pages that turn out to be one; the other is known by its address."""
    with writing(database_on_postgres) as tx:
        user_id, library_id = rows.insert_user(tx)
        winner_id, loser_id = rows.insert_media(tx), rows.insert_media(tx)
        media.insert_alias(tx, "https://example.org/winner", winner_id)
        rows.insert_item(tx, library_id, loser_id)
    return Viewer(User(user_id, "ann", is_admin=False, created_at=utc_now()), frozenset(Scope)), winner_id, loser_id


async def save(database: Database, viewer: Viewer, url: str) -> Placed:
    given = GivenUrl(url, get_url(url))
    return await database.write(create_or_attach_item, viewer, LinkToSave(url), given, now=utc_now())


async def test_a_save_of_a_known_page_and_a_merge_into_that_page_do_not_deadlock(
    database_on_postgres: Database, known_page: tuple[Viewer, UUID, UUID]
) -> None:
    database, (viewer, winner_id, loser_id) = database_on_postgres, known_page
    with writing(database) as tx:
        media.find_media(tx, winner_id, lock=True)
        saving = asyncio.create_task(save(database, viewer, "https://example.org/winner"))
        await until(lambda: somebody_waits(database), what="the save's wait")
        merge_media(tx, loser_id, winner_id, actor_user_id=viewer.user_id, now=utc_now())
    assert (await saving).placement.is_new_item is False, "the merge brought the page into the library"


async def test_a_save_that_waited_for_a_merge_finds_the_page_that_stayed(
    database_on_postgres: Database, known_page: tuple[Viewer, UUID, UUID]
) -> None:
    database, (viewer, winner_id, loser_id) = database_on_postgres, known_page
    with writing(database) as tx:
        media.insert_alias(tx, "https://example.org/loser", loser_id)
    with writing(database) as tx:
        media.find_media(tx, loser_id, lock=True)
        saving = asyncio.create_task(save(database, viewer, "https://example.org/loser"))
        await until(lambda: somebody_waits(database), what="the save's wait")
        merge_media(tx, loser_id, winner_id, actor_user_id=viewer.user_id, now=utc_now())
    assert (await saving).item.media_id == winner_id


async def test_making_the_index_anew_waits_for_nobody_who_changes_a_page(
    database_on_postgres: Database, known_page: tuple[Viewer, UUID, UUID]
) -> None:
    """It leaves the page to them: they index it when they are done, and would wait for its row in the index."""
    database, (_, changed_id, free_id) = database_on_postgres, known_page
    with writing(database) as tx:
        media.find_media(tx, changed_id, lock=True)
        async with asyncio.timeout(30):
            await reindex(database)
        assert list_indexed(database) == [free_id]
        search_index.index_page(tx, changed_id)
    assert sorted(list_indexed(database)) == sorted([changed_id, free_id])


async def test_a_change_that_an_older_process_commits_while_its_item_is_indexed_is_not_missed(
    database_on_postgres: Database,
) -> None:
    owner = make_owner(database_on_postgres)
    kept = await owner.save("https://example.org/", tags=["seaside"])
    with writing(database_on_postgres) as tx:
        tx.execute(update(tables.items).values(note="boats"))  # without indexing it: there is something to do
    with writing(database_on_postgres) as tx:
        tx.execute(delete(tables.item_tags))
        indexing = asyncio.create_task(index_marked(database_on_postgres))
        await until(lambda: somebody_waits(database_on_postgres), what="the wait for the change")
    await indexing
    assert (await owner.found("boats"), await owner.found("seaside")) == ([kept.item.id], [])


def list_indexed(database: Database) -> list[UUID]:
    with reading(database) as tx:
        indexed = select(tables.search_media.c.media_id).where(tables.search_media.c.version == WORDS_VERSION)
        return list(tx.execute(indexed).scalars())


def somebody_waits(database: Database) -> bool:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with reading(database) as tx:
        return bool(tx.execute(text(query)).scalar_one())
