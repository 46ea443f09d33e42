"""The dependencies of ingesting and rendering, made once by the wiring, and the page that a job works on."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.content.article.article import Article, ExtractFailed, Page
from kept.content.article.site_rules import SiteRule
from kept.domain.job import ClaimedJob
from kept.fetch.browser.pool import BrowserPool
from kept.fetch.gate import Gate
from kept.fetch.limits import worker_limits
from kept.fetch.outcome import Fetched, FetchOutcome
from kept.jobs.notifier import Notifier
from kept.services.pages.files import PageFiles
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database
from kept.storage.queue import queue
from kept.storage.queue.claiming import reserve_turn
from kept.storage.site_rules import SiteRuleFolder
from kept.subprocesses.documents import DocumentReaders
from kept.subprocesses.extraction import ExtractorPool
from kept.urls.identity import is_same_site
from kept.urls.url import NormalisedUrl, parse_url

WAIT_FOR_PROGRAMS: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class PageSource:
    """The source of articles, with fetches, site rules and extractors; made for workers and for `kept extract`."""

    gate: Gate
    extractors: ExtractorPool
    settings: Settings
    site_rules: SiteRuleFolder
    database: Database | None = None
    """The database in which all workers take turns at a host; without one only this process does."""
    now: Callable[[], datetime] = utc_now

    def find_rule(self, url: str) -> SiteRule | None:
        return self.site_rules.find(urlsplit(url).hostname or "")

    async def extract(self, page: Page, owner: UUID | None = None) -> Article | ExtractFailed:
        """Read a page by the rule of its site, if there is one."""
        rule = self.find_rule(page.final_url)
        return await self.extractors.extract(page if rule is None else replace(page, rule=rule), owner)

    def find_another(self, url: str, page: Page) -> NormalisedUrl | None:
        """Return a URL from the page if it may be fetched for its article; what the extractor says is not trusted."""
        named, own = parse_url(url), parse_url(page.final_url)
        if not isinstance(named, NormalisedUrl) or not isinstance(own, NormalisedUrl):
            return None
        return named if is_same_site(own, named) else None

    async def extract_another(self, fetched: Fetched, first: Page, owner: UUID | None) -> Article | None:
        """Read a page that was fetched for the article of `first`, whose URL names it."""
        page = replace(
            first,
            body=fetched.body,
            final_url=str(fetched.final_url),
            content_type=fetched.headers.get("content-type"),
            status=fetched.status,
            canonical_url=first.canonical_url or first.final_url,
        )
        extracted = await self.extract(page, owner)
        return extracted if isinstance(extracted, Article) else None

    async def fetch_another(self, url: NormalisedUrl, saved: NormalisedUrl, max_bytes: int) -> FetchOutcome:
        """Fetch one more page for an article, in turn with other fetches from its host.

        It has the time of one answer, not that of a whole job, because there is something to read without it.
        """
        await self._wait_for_turn(url.host)
        limits = worker_limits(self.settings)
        seconds = min(limits.total_seconds, self.settings.limits.fetch_read_seconds)
        return await self.gate.fetch(url, replace(limits, total_seconds=seconds, max_bytes=max_bytes), page=saved)

    async def _wait_for_turn(self, host: str) -> None:
        gap = self.settings.host_gap_seconds
        if self.database is None:
            await asyncio.sleep(gap)
            return
        turn = None
        while turn is None:
            turn = await self.database.write(reserve_turn, host, now=self.now(), gap_seconds=gap)
            wait_seconds = gap / 2 if turn is None else max(0.0, (turn - self.now()).total_seconds())
            await asyncio.sleep(wait_seconds)


@dataclass(frozen=True, slots=True)
class Ingester:
    """The dependencies of ingesting, made once by the wiring."""

    database: Database
    gate: Gate
    extractors: ExtractorPool
    notifier: Notifier
    settings: Settings
    can_render: bool
    """Whether some worker has a browser."""
    files: PageFiles
    now: Callable[[], datetime] = utc_now
    site_rules: SiteRuleFolder = field(default_factory=SiteRuleFolder)

    @property
    def pages(self) -> PageSource:
        return PageSource(self.gate, self.extractors, self.settings, self.site_rules, self.database, self.now)

    @property
    def documents(self) -> DocumentReaders:
        return DocumentReaders.from_settings(self.settings)


@dataclass(frozen=True, slots=True)
class Renderer:
    """The dependencies of rendering, made once by the wiring."""

    ingester: Ingester
    browsers: BrowserPool
    blobs: BlobStore


async def wait_for_programs(ingester: Ingester, job: ClaimedJob) -> bool:
    """Postpone a job while a program that makes articles is missing, so that no page fails for want of Node.

    Returns whether the job was postponed; that counts as no attempt.
    """
    if ingester.extractors.find_missing() is None:
        return False
    await ingester.database.write(queue.retry_later, job, ingester.now() + WAIT_FOR_PROGRAMS, counts=False)
    return True
