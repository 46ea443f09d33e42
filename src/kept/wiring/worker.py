"""What a worker opens: the handler of each kind of job, and the executor that runs them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

from kept.config import Settings
from kept.domain.job import JobKind, Queue
from kept.fetch.browser.pool import BrowserPool
from kept.fetch.gate import Gate
from kept.fetch.policy import EgressPolicy
from kept.fetch.resolver import AresResolver
from kept.jobs.local import LocalExecutor
from kept.jobs.notifier import create_notifier
from kept.jobs.running import Handler, Handlers, JobRunner, RunRules
from kept.jobs.running import OpenHandlers as OpenHandlers  # for entry points
from kept.services.highlights.anchoring import abandon_anchoring, reanchor_highlights
from kept.services.images.store import ImageStore, abandon_images, store_images
from kept.services.importing.files import Importer
from kept.services.importing.imports import abandon_import
from kept.services.importing.running import run_import
from kept.services.ingesting.attempts import on_attempt_failed, on_exhausted
from kept.services.ingesting.captures import abandon_capture, capture_media
from kept.services.ingesting.ingest import ingest_media
from kept.services.ingesting.render import render_media
from kept.services.ingesting.worker import Ingester, Renderer
from kept.services.maintenance.cleaning import tidy_periodically
from kept.services.pages.files import PageFiles
from kept.storage.database.engine import Database
from kept.storage.queue.claiming import Claiming
from kept.subprocesses.extraction import ExtractorPool
from kept.subprocesses.images import ImagePool
from kept.subprocesses.pages import PageReaders
from kept.wiring.stores import create_blobs, create_site_rules, open_database


@asynccontextmanager
async def open_handlers(settings: Settings, database: Database) -> AsyncIterator[Handlers]:
    """Open the handlers of all kinds of jobs; the pools behind them live as long as the context."""
    notifier, policy, resolver = create_notifier(settings), EgressPolicy.from_settings(settings), AresResolver()
    extractors = ExtractorPool.from_settings(settings)
    browsers = BrowserPool.from_settings(settings, policy=policy, resolver=resolver)
    async with Gate.from_settings(settings) as gate:
        can_render = settings.render != "never" and (settings.executor == "celery" or browsers.has_browser)
        blobs, image_pool = create_blobs(settings), ImagePool.from_settings(settings)
        files = PageFiles(blobs, PageReaders.from_settings(settings), image_pool)
        rules = create_site_rules(settings.site_rules_folder)
        ingester = Ingester(database, gate, extractors, notifier, settings, can_render, files, site_rules=rules)
        store = ImageStore(database, blobs, gate, image_pool, settings)
        importer = Importer.from_settings(settings, database, blobs, image_pool)
        tidying = asyncio.create_task(tidy_periodically(ingester, blobs))
        try:
            yield map_handlers(Renderer(ingester, browsers, blobs), store, importer)
        finally:
            tidying.cancel()
            await store.drain()
            await image_pool.close()
            await browsers.close()
            await extractors.close()
            await resolver.close()
            notifier.close()


def map_handlers(renderer: Renderer, store: ImageStore, importer: Importer) -> Handlers:
    """Return the handlers by kind of job. A kind without a handler stays queued."""
    ingester, extractors = renderer.ingester, renderer.ingester.extractors
    on_failure = partial(on_exhausted, ingester), partial(on_attempt_failed, ingester)
    handlers = {
        JobKind.INGEST: Handler(
            partial(ingest_media, ingester), *on_failure, extractors.warm_up, extractors.expect_backlog
        ),
        JobKind.STORE_IMAGES: Handler(partial(store_images, store), partial(abandon_images, store)),
        JobKind.IMPORT: Handler(partial(run_import, importer), partial(abandon_import, importer)),
        JobKind.ANCHOR_HIGHLIGHTS: Handler(
            partial(reanchor_highlights, ingester.database), partial(abandon_anchoring, ingester.database)
        ),
    }
    if ingester.settings.render != "never":
        handlers[JobKind.RENDER] = Handler(partial(render_media, renderer), *on_failure)
        handlers[JobKind.CAPTURE] = Handler(partial(capture_media, renderer), partial(abandon_capture, ingester))
    return handlers


@asynccontextmanager
async def open_executor(
    settings: Settings, slots: Mapping[Queue, int], handlers: OpenHandlers = open_handlers
) -> AsyncIterator[LocalExecutor]:
    """Open the local executor, with `slots` jobs at once for each queue."""
    # Work can be redone, so a commit need not wait for the disk, unlike that of an answered save.
    async with open_database(settings, durability="normal") as database, handlers(settings, database) as able:
        runner = JobRunner(database, able, RunRules.from_settings(settings))
        rules = Claiming.from_settings(settings)
        yield LocalExecutor(database, runner, slots=slots, rules=rules, drain_seconds=settings.drain_seconds)


def create_celery_worker(settings: Settings) -> object:
    """Return Celery's application for a worker."""
    from kept.jobs.celery import create_worker_app  # the celery extra

    return create_worker_app(settings, open_handlers)
