"""The browsers of a worker: `render` a page, inside a deadline, in a browser started when first needed.

Only the wiring makes a pool; services call `render`. A browser serves one page at a time, is ended after any
visit that went wrong, after so many pages, and when it has been idle for a while.
"""

import asyncio
import os
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Final, Self

import structlog

from kept.config import Settings
from kept.fetch.browser.chromium import NO_SANDBOX, SANDBOX, find_chromium
from kept.fetch.browser.folders import BrowserFolder, choose_parent, clear_orphans
from kept.fetch.browser.messages import Failed, Order, Seen
from kept.fetch.browser.rendered import MAX_THUMBNAIL_BYTES, Rendered, parse_report, read_failed, read_seen
from kept.fetch.client import user_agent
from kept.fetch.outcome import FetchFailed, FetchReason
from kept.fetch.policy import EgressPolicy, TrustLevel, next_trust_level
from kept.fetch.proxy import DEFAULT_LIMITS, BrowserProxy, ProxyLimits
from kept.fetch.resolver import Resolver
from kept.subprocesses.frames import Frame
from kept.subprocesses.pool import ProcessPool
from kept.subprocesses.process import ChildProcess, MemoryExceeded, ProcessLost, WorkerProgram
from kept.urls.url import NormalisedUrl

log = structlog.get_logger()

# Time kept back of a visit, so that a process that still works can report by itself that time is up …
ANSWER_SECONDS: Final = 1.0
# … and to kill one that does not, which took 60 ms at most on a busy machine of two cores.
KILL_SECONDS: Final = 0.5

# Names of variables that a browser needs to find its libraries, fonts and words. Everything else stays with the
# worker: passwords live in the environment, and a page that breaks out of the browser shall not find them.
PASSED_VARIABLES: Final = (
    *("PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME"),
    *("FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_DIRS", "PLAYWRIGHT_BROWSERS_PATH", "PLAYWRIGHT_NODEJS_PATH"),
)


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """The limits of a worker's browsers; see the settings of the same names."""

    executable: Path | None
    user_agent: str
    sandbox: bool = True
    concurrency: int = 1
    max_pages: int = 50
    idle_seconds: float = 60.0
    settle_seconds: float = 3.0
    memory_bytes: int = 1024 * 1024 * 1024
    max_html_chars: int = 10 * 1024 * 1024
    max_capture_bytes: int = 30 * 1024 * 1024
    max_redirects: int = 5
    limits: ProxyLimits = DEFAULT_LIMITS
    folder_parent: Path = field(default_factory=choose_parent)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A page to visit for the page that was saved."""

    url: NormalisedUrl
    saved: NormalisedUrl
    has_left: bool
    """Whether a redirect on the way here left the saved page's host."""
    html: bool
    screenshot: bool
    deadline: float
    capture_folder: Path | None = None
    """The folder for files of the whole page, if they are wanted."""


class BrowserPool:
    """The browsers of a worker; nothing is started before the first `render`."""

    def __init__(self, options: PoolOptions, *, policy: EgressPolicy, resolver: Resolver) -> None:
        self._options: Final = options
        self._policy: Final = policy
        self._proxy: Final = BrowserProxy(policy=policy, resolver=resolver, limits=options.limits)
        self._opening: Final = asyncio.Lock()
        self._is_open = False
        self._pool: Final = ProcessPool(
            self._start,
            processes=options.concurrency,
            idle_seconds=options.idle_seconds,
            max_requests=options.max_pages,
        )

    @classmethod
    def from_settings(cls, settings: Settings, *, policy: EgressPolicy, resolver: Resolver) -> Self:
        options = PoolOptions(
            executable=find_chromium(settings.chromium),
            user_agent=user_agent(settings),
            sandbox=settings.browser_sandbox == "auto" and os.getuid() != 0,
            concurrency=settings.render_concurrency,
            max_pages=settings.limits.browser_max_pages,
            idle_seconds=settings.limits.browser_idle_seconds,
            settle_seconds=settings.limits.render_settle_seconds,
            memory_bytes=settings.limits.browser_memory_bytes,
            max_html_chars=settings.limits.fetch_max_bytes,
            max_capture_bytes=settings.limits.whole_page_max_bytes,
            max_redirects=settings.limits.fetch_max_redirects,
            limits=ProxyLimits(
                visit_bytes=settings.limits.render_max_bytes,
                connect_seconds=settings.limits.fetch_connect_seconds,
                idle_seconds=settings.limits.fetch_read_seconds,
            ),
        )
        return cls(options, policy=policy, resolver=resolver)

    @property
    def has_browser(self) -> bool:
        return self._options.executable is not None

    async def render(
        self, url: NormalisedUrl, *, want_html: bool, want_screenshot: bool, seconds: float, capture: bool = False
    ) -> Rendered | FetchFailed:
        """Visit `url` and return before `seconds` are over, with no process of a failed visit left."""
        refusal = self._policy.judge_url(url, TrustLevel.SAVED)
        if refusal is not None:  # a browser is too expensive for what we know already
            return refusal.as_failure()
        if self._options.executable is None:
            return FetchFailed(FetchReason.NO_BROWSER)
        deadline = time.monotonic() + seconds - KILL_SECONDS - ANSWER_SECONDS
        wanted = _Wanted(url, url, has_left=False, html=want_html, screenshot=want_screenshot, deadline=deadline)
        try:
            async with asyncio.timeout(seconds - KILL_SECONDS):
                return await (self._follow_capturing(wanted) if capture else self._follow(wanted))
        except TimeoutError:
            return FetchFailed(FetchReason.RENDER_TIMED_OUT)
        except MemoryExceeded:
            return FetchFailed(FetchReason.OUT_OF_MEMORY)
        except (ProcessLost, OSError) as error:
            log.warning("browser.failed", host=url.host, error=str(error), stderr=getattr(error, "stderr", ""))
            return FetchFailed(FetchReason.BROWSER_FAILED)

    async def close(self) -> None:
        await self._pool.close()
        await self._proxy.close()
        self._is_open = False

    async def _follow_capturing(self, wanted: _Wanted) -> Rendered | FetchFailed:
        """Visit a page and return its files open; their folder is removed already, so that nobody has to."""
        folder = await asyncio.to_thread(BrowserFolder, self._options.folder_parent)
        try:
            rendered = await self._follow(replace(wanted, capture_folder=folder.path))
            if isinstance(rendered, FetchFailed):
                return rendered
            return replace(rendered, captures=open_files(folder.path, rendered.captured))
        finally:
            await asyncio.shield(asyncio.to_thread(folder.remove))

    async def _follow(self, wanted: _Wanted) -> Rendered | FetchFailed:
        """Visit a page, and follow it where it refreshes to another, by the rules of redirects."""
        saved, redirects, trust_level = wanted.saved, 0, TrustLevel.SAVED
        while True:
            refusal = self._policy.judge_url(wanted.url, trust_level)
            if refusal is not None:
                return refusal.as_failure()
            wanted = replace(wanted, has_left=trust_level is not TrustLevel.SAVED)
            rendered, trust_level = await self._render(wanted)
            if isinstance(rendered, FetchFailed):
                return rendered
            redirects += rendered.redirects + (rendered.leads_to is not None)
            if redirects > self._options.max_redirects:
                return FetchFailed(FetchReason.TOO_MANY_REDIRECTS)
            if rendered.leads_to is None:
                return replace(rendered, redirects=redirects)
            for hop in (rendered.final_url, rendered.leads_to):
                trust_level = next_trust_level(trust_level, saved, hop)
            wanted = replace(wanted, url=rendered.leads_to)

    async def _render(self, wanted: _Wanted) -> tuple[Rendered | FetchFailed, TrustLevel]:
        """Make one visit; return its result and how far the page it came to may be trusted."""
        began = time.monotonic()
        await self._open()
        with self._proxy.visit(wanted.saved, left_saved_host=wanted.has_left) as visit:
            order = Order(
                url=str(wanted.url),
                want_html=wanted.html,
                want_screenshot=wanted.screenshot,
                deadline=wanted.deadline,
                settle_seconds=self._options.settle_seconds,
                user_agent=self._options.user_agent,
                max_html_chars=self._options.max_html_chars,
                proxy=self._proxy.address,
                proxy_username=visit.username,
                proxy_password=visit.password,
                capture_folder=str(wanted.capture_folder) if wanted.capture_folder else None,
                max_capture_bytes=self._options.max_capture_bytes,
            )
            report, body = await self._visit(order)
        trust_level = TrustLevel.ELSEWHERE if visit.left_saved_host else TrustLevel.SAVED
        if isinstance(report, Failed):
            log.info("browser.visit_failed", host=wanted.url.host, reason=report.reason, detail=report.detail)
            return read_failed(report, visit), trust_level
        total_ms = round((time.monotonic() - began) * 1000)
        return read_seen(report, body, visit, want_html=wanted.html, total_ms=total_ms), trust_level

    async def _visit(self, order: Order) -> tuple[Seen | Failed, bytes]:
        max_body_bytes = order.max_html_chars * 4 + MAX_THUMBNAIL_BYTES  # a character in UTF-8: four at most
        was_idle = False
        try:
            async with self._pool.process() as process:
                was_idle = process.requests > 0
                return await process.ask(Frame(asdict(order)), parse_report, max_body_bytes=max_body_bytes)
        except ProcessLost as error:
            if isinstance(error, MemoryExceeded) or not was_idle:
                raise
            return await self._visit(order)  # it had died before it was asked

    async def _start(self) -> ChildProcess:
        options, folder = self._options, BrowserFolder(self._options.folder_parent)
        program = WorkerProgram(
            "kept.fetch.browser.visitor",
            options.memory_bytes,
            (str(options.executable), self._proxy.address, SANDBOX if options.sandbox else NO_SANDBOX),
            tree_memory_bytes=options.memory_bytes,
            environment=choose_environment(str(folder.path)),
            folder=str(folder.path),
            clean_up=folder.remove,
        )
        return await program.start()

    async def _open(self) -> None:
        async with self._opening:
            if self._is_open:
                return
            orphans = await asyncio.to_thread(clear_orphans, self._options.folder_parent)
            if orphans:
                log.warning("browser.orphans_cleared", count=orphans)
            if not self._options.sandbox:
                log.warning("browser.no_sandbox", why="running as root" if os.getuid() == 0 else "by setting")
            await self._proxy.start()
            self._is_open = True


def open_files(folder: Path, names: Iterable[str]) -> dict[str, BinaryIO]:
    return {name: open(folder / name, "rb") for name in names}


def choose_environment(folder: str) -> dict[str, str]:
    passed = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
    return {**passed, "TMPDIR": folder, "HOME": folder, "XDG_CONFIG_HOME": folder}
