"""Checks of the programs Kept uses: the broker, the browser, Node."""

import asyncio
import contextlib
import os
from pathlib import Path
from typing import Final
from uuid import UUID

from kept.cli.checks.finding import Finding
from kept.config import Settings
from kept.content.article.extract import Article, Page
from kept.fetch.browser.chromium import find_chromium
from kept.services.maintenance.count_wakeups import count_wakeups
from kept.subprocesses.extractor_pool import ExtractorPool
from kept.subprocesses.node import BUNDLE, find_node

ANSWER_SECONDS: Final = 15.0
SAMPLE: Final = (
    "<html><title>A page</title><body><article><h1>A page</h1>"
    + "<p>A paragraph of an article that is long enough to be taken for one.</p>" * 6
    + "</article></body></html>"
).encode()
# Each of these values disables the user namespaces that Chromium's sandbox needs.
NAMESPACES_FORBIDDEN: Final = (
    ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
    ("/proc/sys/user/max_user_namespaces", "0"),
)


async def check_broker(settings: Settings) -> Finding:
    if settings.executor == "local" or settings.broker_url is None:
        return Finding("broker", "ok", "not used: jobs run in the local worker")
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            waiting = await count_wakeups(settings)
    except ImportError:
        return Finding("broker", "broken", "Celery is not installed", "Install kept[celery].")
    except Exception as error:  # brokers' clients share no class of errors, and their messages may hold the address
        advice = "Check KEPT_BROKER_URL. No jobs are lost: workers find them in the database."
        return Finding("broker", "broken", f"does not answer ({type(error).__name__})", advice)
    return Finding("broker", "ok", f"answers, {waiting} messages waiting")


async def check_browser(settings: Settings) -> Finding:
    if settings.render == "never":
        return Finding("browser", "ok", "not used (KEPT_RENDER=never)")
    found = find_chromium(settings.chromium)
    if found is None:
        advice = "Install Debian's package chromium, or set KEPT_CHROMIUM."
        return Finding("browser", "limited", "not found: no screenshots, no pages that need JavaScript", advice)
    version = await ask_version(found)
    if version is None:
        return Finding("browser", "broken", f"{found} does not start", f"Run `{found} --version` to see why.")
    wall = find_missing_wall(settings)
    if wall is not None:
        advice = "Run workers as an ordinary user, with user namespaces allowed: see docs/operating.md."
        return Finding("browser", "limited", f"{version}, without its sandbox: {wall}", advice)
    return Finding("browser", "ok", version)


async def ask_version(program: Path) -> str | None:
    try:
        asked = await asyncio.create_subprocess_exec(
            program, "--version", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            output, _ = await asked.communicate()
    except TimeoutError:
        asked.kill()
        await asked.wait()
        return None
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[0].strip() if asked.returncode == 0 and lines else None


def find_missing_wall(settings: Settings) -> str | None:
    if settings.browser_sandbox == "off":
        return "KEPT_BROWSER_SANDBOX=off"
    if os.geteuid() == 0:
        return "it has none for root"
    for file, value in NAMESPACES_FORBIDDEN:
        with contextlib.suppress(OSError):
            if Path(file).read_text().strip() == value:
                return f"{file} is {value}"
    return None


async def check_sidecar(settings: Settings) -> Finding:
    """Extracts an article in the same subprocesses that workers use."""
    found = find_node(settings.node)
    if found is None:
        return Finding(
            "sidecar", "limited", "Node not found: articles can't be extracted", "Install nodejs, or set KEPT_NODE."
        )
    if not BUNDLE.is_file():
        advice = "Run ./run once with npm installed; wheels include it."
        return Finding("sidecar", "limited", "the Readability bundle is missing: articles can't be extracted", advice)
    pool = ExtractorPool.from_settings(settings)
    try:
        made = await pool.extract(Page(SAMPLE, "https://example.org/a", UUID(int=0), "text/html; charset=utf-8", 200))
    finally:
        await pool.close()
    if isinstance(made, Article):
        return Finding("sidecar", "ok", f"{found} extracts articles")
    return Finding(
        "sidecar", "broken", f"{found} extracts no article: {made.detail or made.message}", "Is it Node 20 or newer?"
    )
