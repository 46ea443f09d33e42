"""Real clients of other programs, each in an environment of its own under `.clients/`: their dependencies contradict
Kept's and each other's. Made once; nothing but PyPI and npm is asked, and only then."""

import asyncio
import fcntl
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[3]
CLIENTS: Final = ROOT / ".clients"
DRIVERS: Final = ROOT / "tests" / "clients" / "drivers"
INSTALL_SECONDS: Final = 300
RUN_SECONDS: Final = 120


def make_python_client(name: str, *requirements: str) -> Path:
    """The folder of its programs."""
    folder = CLIENTS / name

    def install() -> None:
        uv = ROOT / ".tools" / "bin" / "uv"
        if uv.exists():
            call(str(uv), "venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
            call(str(uv), "pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), *requirements)
        else:
            call(sys.executable, "-m", "venv", "--clear", str(folder))
            call(str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *requirements)

    make_once(name, " ".join(requirements), install)
    return folder / "bin"


def make_node_client(name: str, *packages: str) -> Path:
    """The folder its modules are found from."""
    folder = CLIENTS / name

    def install() -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise OSError("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        call(npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *packages)

    make_once(name, " ".join(packages), install)
    return folder


def make_once(name: str, what: str, install: object) -> None:
    """Skips the test, and says so aloud, where it cannot be installed: without a network there are no clients."""
    mark = CLIENTS / f"{name}.installed"
    with only_one():
        if mark.exists() and mark.read_text() == what:
            return
        try:
            install()  # type: ignore[operator]
        except (OSError, subprocess.SubprocessError) as error:
            warnings.warn(f"{name} could not be installed, so that nothing proves it works: {error}", stacklevel=1)
            pytest.skip(f"{name} could not be installed: {error}")
        mark.write_text(what)


@contextmanager
def only_one() -> Iterator[None]:
    """Tests that run at once make an environment once."""
    CLIENTS.mkdir(exist_ok=True)
    with (CLIENTS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def call(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=INSTALL_SECONDS)


async def run_client(*command: str, cwd: Path | None = None, **environment: str) -> str:
    """What it prints. Beside the test's own event loop, which may be the server's."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200", **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), RUN_SECONDS)
    assert process.returncode == 0, f"{out.decode()}\n{err.decode()}"
    return out.decode()
