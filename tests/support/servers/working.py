"""A worker for tests: works off what is due, in the test's own process, with the real extractors and browser."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, cast

from sqlalchemy import func, select

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.job import ClaimedJob, JobKind, Queue
from kept.fetch.browser.pool import BrowserPool
from kept.fetch.gate import Gate
from kept.fetch.policy import EgressPolicy
from kept.fetch.resolver import AresResolver
from kept.jobs.notifier import create_notifier
from kept.services.ingesting.captures import capture_media
from kept.services.ingesting.ingest import ingest_media
from kept.services.ingesting.render import render_media
from kept.services.ingesting.worker import Ingester, Renderer
from kept.services.pages.files import PageFiles
from kept.storage.queue.claiming import Postponed, claim
from kept.storage.site_rules import SiteRuleFolder
from kept.storage.tables import jobs
from kept.subprocesses.extraction import ExtractorPool
from kept.subprocesses.pages import PageReaders
from support.builders.jobs import RULES
from support.fixtures.transactions import reading, writing
from support.servers.serving import RunningKept


class WorkerDied(Exception):
    """Nobody catches it: the attempt ends where it was."""


class DeadlyExtractors:
    """Whoever reads a page with them is gone."""

    def find_missing(self) -> None:
        return None

    async def extract(self, page: object, owner: object = None) -> Any:
        raise WorkerDied


@dataclass(frozen=True)
class Worker:
    renderer: Renderer

    @property
    def ingester(self) -> Ingester:
        return self.renderer.ingester

    def without_browser(self) -> "Worker":
        return Worker(replace(self.renderer, ingester=replace(self.ingester, can_render=False)))

    def with_browser_elsewhere(self) -> "Worker":
        """Another worker has a browser, so that `render` jobs are queued; this one shall not run them."""
        return Worker(replace(self.renderer, ingester=replace(self.ingester, can_render=True)))

    def claim(self, queue: Queue, *, ahead: timedelta = timedelta()) -> ClaimedJob | None:
        """`ahead` looks that far into the future, so that a test need not wait for a backoff."""
        kinds = [JobKind.INGEST, JobKind.RENDER, JobKind.CAPTURE]
        with writing(self.ingester.database) as tx:
            job = claim(tx, queue, kinds, now=utc_now() + ahead, rules=RULES)
        return None if isinstance(job, Postponed) else job

    async def run(self, job: ClaimedJob) -> None:
        match job.kind:
            case JobKind.INGEST:
                await ingest_media(self.ingester, job)
            case JobKind.CAPTURE:
                await capture_media(self.renderer, job)
            case _:
                await render_media(self.renderer, job)

    async def die_reading(self, job: ClaimedJob) -> None:
        """Begin an ingestion, and end while the page is being read."""
        deadly = replace(self.ingester, extractors=cast("ExtractorPool", DeadlyExtractors()))
        with suppress(WorkerDied):
            await ingest_media(deadly, job)

    async def work_off(self, *queues: Queue, ahead: timedelta = timedelta()) -> int:
        """Until nothing of it is due; returns how many jobs were run."""
        done = 0
        for queue in queues or tuple(Queue):
            while (job := self.claim(queue, ahead=ahead)) is not None:
                await self.run(job)
                done += 1
        return done

    def count_jobs(self) -> dict[str, int]:
        with reading(self.ingester.database) as tx:
            rows = tx.execute(select(jobs.c.kind, func.count()).group_by(jobs.c.kind))
            return {kind: count for kind, count in rows if kind != JobKind.STORE_IMAGES}


@asynccontextmanager
async def run_worker(
    running: RunningKept, extractors: ExtractorPool, settings: Settings | None = None
) -> AsyncIterator[Worker]:
    settings = settings or running.kept.settings
    resolver = AresResolver()
    policy = EgressPolicy.from_settings(settings)
    browsers = BrowserPool.from_settings(settings, policy=policy, resolver=resolver)
    async with Gate.from_settings(settings) as gate:
        files = PageFiles(running.kept.blobs, PageReaders.from_settings(settings), running.kept.images.pool)
        rules = SiteRuleFolder(settings.site_rules_folder)
        notifier, can_render = create_notifier(settings), browsers.has_browser
        ingester = Ingester(
            running.kept.database, gate, extractors, notifier, settings, can_render, files, site_rules=rules
        )
        try:
            yield Worker(Renderer(ingester, browsers, running.kept.blobs))
        finally:
            await asyncio.gather(browsers.close(), resolver.close())
