"""Checks of the programs Kept uses: the broker, the browser, Node."""

import asyncio
import contextlib
import os
from pathlib import Path
from typing import Final
from uuid import UUID

from kept.cli.checks.finding import Finding
from kept.config import Settings
from kept.content.article.article import Article, Page
from kept.domain.errors import first_line
from kept.fetch.browser.chromium import NO_SANDBOX, SANDBOX, find_chromium
from kept.fetch.browser.visit import launched
from kept.services.maintenance.figures import count_wakeups
from kept.subprocesses.extraction import ExtractorPool
from kept.subprocesses.sidecar import explain_missing, find_node

ANSWER_SECONDS: Final = 15.0
SCREENSHOT_SECONDS: Final = 45.0
SANDBOX_ADVICE: Final = "Run workers as an ordinary user, with user namespaces allowed: see docs/operating.md."
DRIVER_ADVICE: Final = "Playwright's driver needs Debian's package libatomic1, Chromium a /tmp it can write to."
# The page of the check has no resources; requests of the browser itself reach nobody.
NO_PROXY: Final = "http://127.0.0.1:9"
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
    except Exception as error:  # brokers' clients share no class of errors, and messages may contain the URL
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
    has_sandbox = settings.browser_sandbox == "auto" and os.geteuid() != 0
    fault = await take_screenshot(found, SANDBOX if has_sandbox else NO_SANDBOX)
    if fault is not None:
        advice = SANDBOX_ADVICE if wall and has_sandbox else DRIVER_ADVICE
        return Finding("browser", "broken", f"{version} takes no screenshots: {fault}", advice)
    if wall is not None:
        return Finding("browser", "limited", f"{version}, without its sandbox: {wall}", SANDBOX_ADVICE)
    return Finding("browser", "ok", f"{version} takes screenshots")


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


async def take_screenshot(program: Path, sandbox: str) -> str | None:
    """Take a screenshot with the driver and flags that workers use; return what prevented it, or None."""
    try:
        async with asyncio.timeout(SCREENSHOT_SECONDS), launched(str(program), NO_PROXY, sandbox) as browser:
            page = await browser.new_page()
            await page.set_content("<h1>Kept</h1>")
            image = await page.screenshot()
    except TimeoutError:
        return f"no answer within {SCREENSHOT_SECONDS:.0f} s"
    except Exception as error:  # the errors of the driver's own start share no class
        return first_line(error)
    return None if image.startswith(b"\x89PNG") else "the screenshot is empty"


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
    """Extract an article in the same subprocesses that workers use."""
    found = find_node(settings.node)
    missing = explain_missing(found)
    if missing is not None:
        return Finding("sidecar", "limited", "no articles can be made: saved pages wait", missing)
    pool = ExtractorPool.from_settings(settings)
    try:
        made = await pool.extract(Page(SAMPLE, "https://example.org/a", UUID(int=0), "text/html; charset=utf-8", 200))
    finally:
        await pool.close()
    if isinstance(made, Article):
        return Finding("sidecar", "ok", f"{found} extracts articles")
    return Finding(
        "sidecar", "broken", f"{found} extracts no article: {made.detail or made.message}", "Is it Node 18 or newer?"
    )
