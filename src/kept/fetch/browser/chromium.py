"""Chooses which Chromium to run and with which flags; it only reads the disk."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

NAMES: Final = (
    "/usr/bin/chromium",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chromium-headless-shell",
)
# Below one folder per build: chromium-1234/chrome-linux64/chrome, and the smaller headless shell.
PLAYWRIGHT_PATTERNS: Final = (
    "chromium_headless_shell-*/*/*headless*shell",
    "chromium-*/chrome-linux*/chrome",
)

SANDBOX, NO_SANDBOX = "sandbox", "no-sandbox"
VIEWPORT_WIDTH: Final = 1280
VIEWPORT_HEIGHT: Final = 720


def find_chromium(configured: Path | None = None) -> Path | None:
    """Find the browser program; None where there is none. A configured one that is missing is not replaced."""
    if configured is not None:
        return configured if os.access(configured, os.X_OK) else None
    return next(iterate_candidates(), None)


def iterate_candidates() -> Iterator[Path]:
    for name in NAMES:
        if found := shutil.which(name):
            yield Path(found)
    for pattern in PLAYWRIGHT_PATTERNS:
        yield from sorted((path for path in playwright_folder().glob(pattern) if is_program(path)), reverse=True)


def playwright_folder() -> Path:
    """Return the folder in which `playwright install chromium` puts its own build."""
    return Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")


def is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def egress_flags(proxy: str) -> tuple[str, ...]:
    """Return flags that close all ways out but the proxy (see tests/integration/fetch/browser/test_browser_egress.py).

    `--proxy-server` alone leaves loopback and UDP open; `--force-webrtc-ip-handling-policy`, which many recipes name,
    has no effect. The resolver rule closes nothing that was seen open: it is there in case one of the others fails.
    """
    return (
        f"--proxy-server={proxy}",
        "--proxy-bypass-list=<-loopback>",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    )


def thrift_flags() -> tuple[str, ...]:
    """Return the flags that keep one slot small and quiet; none of these is a defence."""
    return (
        "--disable-gpu",
        "--no-pings",
        "--disable-sync",
        "--disable-domain-reliability",
        "--disable-client-side-phishing-detection",
        "--no-experiments",
        "--js-flags=--max-old-space-size=512",
    )


# Playwright's own defaults that loosen what we want tight.
UNWANTED_DEFAULTS: Final = (
    "--disable-popup-blocking",
    "--disable-ipc-flooding-protection",
)
