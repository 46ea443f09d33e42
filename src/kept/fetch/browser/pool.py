"""The browsers of a worker: `render` a page, inside a deadline, in a browser started when first needed.

Only `bootstrap` makes a pool; services call `render`. A browser serves one page at a time, is ended after any
visit that went wrong, after so many pages, and when it has been idle for a while.
"""

import asyncio
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

import structlog

from kept.config import Settings
from kept.fetch.browser import folders
from kept.fetch.browser.chromium import find_chromium
from kept.fetch.browser.frames import Failed, Order, Seen
from kept.fetch.browser.rendered import Rendered, read_failed, read_seen
from kept.fetch.browser.slot import MemoryExceededError, Slot, SlotLostError, SlotOptions, start_slot
from kept.fetch.gate import user_agent
from kept.fetch.outcome import FetchFailed, FetchReason
from kept.fetch.policy import EgressPolicy, Standing
from kept.fetch.proxy import DEFAULT_LIMITS, BrowserProxy, ProxyLimits, ProxyVisit
from kept.fetch.resolver import Resolver
from kept.urls.url import NormalisedUrl

log = structlog.get_logger()

# Of a visit's time: kept back so that a child that is still in its senses can say itself that time is up …
ANSWER_SECONDS: Final = 1.0
# … and to kill one that is not, which took 60 ms at most on a busy machine of two cores.
KILL_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """What a worker's browsers may take; see the settings of the same names."""

    executable: Path | None
    user_agent: str
    sandbox: bool = True
    concurrency: int = 1
    max_pages: int = 50
    idle_seconds: float = 60.0
    settle_seconds: float = 3.0
    launch_seconds: float = 20.0
    memory_bytes: int = 1024 * 1024 * 1024
    max_html_chars: int = 10 * 1024 * 1024
    limits: ProxyLimits = DEFAULT_LIMITS
    folder_parent: Path = field(default_factory=folders.choose_parent)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller of `render` asked for, and until when (by the monotonic clock)."""

    url: NormalisedUrl
    want_html: bool
    want_screenshot: bool
    deadline: float


class BrowserPool:
    """Starts nothing until the first `render`."""

    def __init__(self, options: PoolOptions, *, policy: EgressPolicy, resolver: Resolver) -> None:
        self._options = options
        self._policy = policy
        self._proxy = BrowserProxy(policy=policy, resolver=resolver, limits=options.limits)
        self._turns = asyncio.Semaphore(options.concurrency)
        self._opening = asyncio.Lock()
        self._is_open = False
        self._idle: list[Slot] = []
        self._ending: set[asyncio.Task[None]] = set()

    @classmethod
    def from_settings(cls, settings: Settings, *, policy: EgressPolicy, resolver: Resolver) -> Self:
        options = PoolOptions(
            executable=find_chromium(settings.chromium),
            user_agent=user_agent(settings),
            sandbox=settings.browser_sandbox == "auto" and os.getuid() != 0,
            concurrency=settings.render_concurrency,
            max_pages=settings.browser_max_pages,
            idle_seconds=settings.browser_idle_seconds,
            settle_seconds=settings.render_settle_seconds,
            memory_bytes=settings.browser_memory_bytes,
            max_html_chars=settings.fetch_max_bytes,
            limits=ProxyLimits(
                visit_bytes=settings.render_max_bytes,
                connect_seconds=settings.fetch_connect_seconds,
                idle_seconds=settings.fetch_read_seconds,
            ),
        )
        return cls(options, policy=policy, resolver=resolver)

    @property
    def has_browser(self) -> bool:
        return self._options.executable is not None

    async def render(
        self, url: NormalisedUrl, *, want_html: bool, want_screenshot: bool, seconds: float
    ) -> Rendered | FetchFailed:
        """Visit `url` and return before `seconds` are over, with no process of a failed visit left."""
        refusal = self._policy.judge_url(url, Standing.SAVED)
        if refusal is not None:  # a browser is too dear to be told what we know
            return refusal.as_failure()
        if self._options.executable is None:
            return FetchFailed(FetchReason.NO_BROWSER)
        began = time.monotonic()
        wish = Wish(url, want_html, want_screenshot, deadline=began + seconds - KILL_SECONDS)
        try:
            async with asyncio.timeout(seconds - KILL_SECONDS), self._turns:
                return await self._render(wish, began)
        except TimeoutError:
            return FetchFailed(FetchReason.RENDER_TIMED_OUT)
        except MemoryExceededError:
            return FetchFailed(FetchReason.OUT_OF_MEMORY)
        except (SlotLostError, OSError) as error:
            log.warning("browser.failed", host=url.host, error=str(error))
            return FetchFailed(FetchReason.BROWSER_FAILED)

    async def close(self) -> None:
        while self._idle:
            self._retire(self._idle[-1])
        await asyncio.gather(*self._ending, return_exceptions=True)
        await self._proxy.close()
        self._is_open = False

    async def _render(self, wish: Wish, began: float) -> Rendered | FetchFailed:
        slot = await self._take_slot()
        was_used = slot.pages > 0
        start_ms = milliseconds_since(began)
        try:
            report, parts, visit = await self._visit(slot, wish)
        except SlotLostError:
            if not was_used:
                raise
            return await self._render(wish, began)  # it had died while it was idle
        if isinstance(report, Failed):
            log.info("browser.visit_failed", host=wish.url.host, trouble=report.trouble, detail=report.detail)
            return read_failed(report, visit)
        total_ms = milliseconds_since(began)
        return read_seen(report, parts, want_html=wish.want_html, visit=visit, start_ms=start_ms, total_ms=total_ms)

    async def _visit(self, slot: Slot, wish: Wish) -> tuple[Seen | Failed, list[bytes], ProxyVisit]:
        is_good = False
        try:
            with self._proxy.visit(wish.url) as visit:
                report, parts = await slot.visit(self._make_order(wish, visit))
            is_good = not isinstance(report, Failed) or not report.trouble.spoils_the_browser
            return report, parts, visit
        finally:
            await self._give_back(slot, is_good)

    def _make_order(self, wish: Wish, visit: ProxyVisit) -> Order:
        return Order(
            url=str(wish.url),
            want_html=wish.want_html,
            want_screenshot=wish.want_screenshot,
            seconds=max(wish.deadline - time.monotonic() - ANSWER_SECONDS, 0.1),
            settle_seconds=self._options.settle_seconds,
            user_agent=self._options.user_agent,
            proxy=self._proxy.address,
            proxy_username=visit.username,
            proxy_password=visit.password,
            max_html_chars=self._options.max_html_chars,
        )

    async def _take_slot(self) -> Slot:
        while self._idle:
            slot = self._idle.pop()
            cancel_retirement(slot)
            if slot.is_alive:
                return slot
            self._end(slot)
        await self._open()
        assert self._options.executable is not None
        return await start_slot(
            SlotOptions(
                executable=self._options.executable,
                sandbox=self._options.sandbox,
                proxy=self._proxy.address,
                folder_parent=self._options.folder_parent,
                memory_bytes=self._options.memory_bytes,
                launch_seconds=self._options.launch_seconds,
            )
        )

    async def _open(self) -> None:
        async with self._opening:
            if self._is_open:
                return
            orphans = await asyncio.to_thread(folders.clear_orphans, self._options.folder_parent)
            if orphans:
                log.warning("browser.orphans_cleared", count=orphans)
            if not self._options.sandbox:
                log.warning("browser.no_sandbox", why="running as root" if os.getuid() == 0 else "by setting")
            await self._proxy.start()
            self._is_open = True

    async def _give_back(self, slot: Slot, is_good: bool) -> None:
        if not is_good or slot.pages >= self._options.max_pages:
            await asyncio.shield(self._end(slot))
            return
        slot.retirement = asyncio.get_running_loop().call_later(self._options.idle_seconds, self._retire, slot)
        self._idle.append(slot)

    def _retire(self, slot: Slot) -> None:
        self._idle.remove(slot)
        cancel_retirement(slot)
        self._end(slot)

    def _end(self, slot: Slot) -> "asyncio.Task[None]":
        task = asyncio.ensure_future(slot.end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return task


def cancel_retirement(slot: Slot) -> None:
    if slot.retirement is not None:
        slot.retirement.cancel()
        slot.retirement = None


def milliseconds_since(start: float) -> int:
    return round((time.monotonic() - start) * 1000)
