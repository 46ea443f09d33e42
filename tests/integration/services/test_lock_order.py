"""Whoever locks a media and its job locks the media first (jobs/queue.py): else two of them wait for each other."""

import asyncio
from typing import Any, cast

import pytest
from sqlalchemy import text

from kept.config import Settings
from kept.domain.lifecycle import ProcessingStatus
from kept.jobs import queue
from kept.jobs.claiming import claim
from kept.jobs.queue import ClaimedJob, JobKind, Queue
from kept.services.keep_article import keep_article
from kept.storage import media
from kept.storage.columns import new_media_id, utc_now
from kept.storage.database import Database
from support.databases import copy_postgres
from support.jobs import ask, new_job, until
from support.working import RULES


@pytest.fixture
async def claimed(postgres_server: str, postgres_template: str) -> Any:
    database = Database(Settings(database_url=copy_postgres(postgres_server, postgres_template)).sqlalchemy_url)
    media_id, now = new_media_id(), utc_now()
    async with database.write() as tx:
        await media.insert_media(tx, media_id, "https://example.org/", ProcessingStatus.PENDING, now)
    await ask(database, new_job(media_id))
    async with database.write() as tx:
        job = await claim(tx, Queue.INGEST, [JobKind.INGEST], now=utc_now(), rules=RULES)
    assert isinstance(job, ClaimedJob)
    yield database, job
    await database.close()


async def test_a_save_that_fills_a_card_and_a_worker_that_keeps_the_article_do_not_deadlock(
    claimed: tuple[Database, ClaimedJob],
) -> None:
    database, job = claimed

    async def keep() -> None:
        async with database.write() as tx:
            await keep_article(tx, Settings(), job, cast("Any", None), can_render=False, now=utc_now())

    async with database.write() as tx:  # as fill_card does it: the media, then its job
        await media.find_media(tx, job.subject_id, lock=True)
        keeping = asyncio.create_task(keep())
        await until(lambda: somebody_waits(database), what="the worker's wait")
        assert not await queue.bring_forward(tx, JobKind.INGEST, job.subject_id, now=utc_now(), host=None)
    await keeping
    async with database.read() as tx:
        assert await queue.find_job(tx, JobKind.INGEST, job.subject_id) is None


async def somebody_waits(database: Database) -> bool:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    async with database.read() as tx:
        return bool((await tx.execute(text(query))).scalar_one())
