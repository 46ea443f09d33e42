"""A worker that renders one page and says what it saw. Run by tests that kill it or run it as another user."""

import asyncio
import json
import os
import sys
from pathlib import Path

import structlog

from kept.config import parse_allowed_target
from kept.fetch.browser.chromium import find_chromium
from kept.fetch.browser.pool import BrowserPool, PoolOptions
from kept.fetch.browser.rendered import Rendered
from kept.fetch.policy import EgressPolicy
from kept.fetch.resolver import AresResolver
from kept.subprocesses.tree import find_by_argument
from kept.urls.url import get_url


async def main(url: str, allowed: str, home: str) -> None:
    options = PoolOptions(find_chromium(), "Kept/test", sandbox=os.getuid() != 0, folder_parent=Path(home))
    policy = EgressPolicy(ports={80, 443}, allow=[parse_allowed_target(allowed)])
    pool = BrowserPool(options, policy=policy, resolver=AresResolver())
    watching = asyncio.ensure_future(watch_renderers(home))
    outcome = await pool.render(get_url(url), want_html=True, want_screenshot=True, seconds=50)
    watching.cancel()
    seen = {
        "outcome": "rendered" if isinstance(outcome, Rendered) else str(outcome),
        "html": outcome.html if isinstance(outcome, Rendered) else "",
        "sandbox": options.sandbox,
        "renderers": sorted(renderers),
    }
    sys.stdout.write(json.dumps(seen) + "\n")
    sys.stdout.flush()
    await pool.close()


renderers: set[tuple[str, bool]] = set()
"""The seccomp mode of each renderer seen, and whether it was told to do without the sandbox."""


async def watch_renderers(home: str) -> None:
    while True:
        for process in find_by_argument(f"{home}/"):
            line = " ".join(process.info["cmdline"])
            if "--type=renderer" in line:
                renderers.add((read_seccomp(process.pid), "--no-sandbox" in line))
        await asyncio.sleep(0.05)


def read_seccomp(pid: int) -> str:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return "gone"
    return next(line.split()[1] for line in lines if line.startswith("Seccomp:"))


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    asyncio.run(main(**json.loads(sys.argv[1])))
