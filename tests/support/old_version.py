"""An older Kept, from this repository's own history: the last release, or where there is none yet the oldest version
that has pages, at the schema before search."""

import io
import subprocess
import tarfile
from pathlib import Path
from typing import Final

import pytest

REPOSITORY: Final = Path(__file__).parents[2]
OLDEST: Final = "4152316ef61dd70144ca55282067138604165b94"


def unpack_old_version(folder: Path) -> Path:
    """Its sources, in this folder; the test is skipped where the history is not at hand (an sdist, a shallow clone)."""
    archive = run_git("archive", find_old_version(), "src", "js", "pyproject.toml", "requirements.lock", "README.md")
    if archive is None:
        pytest.skip("THE HISTORY OF THE REPOSITORY IS NOT HERE: no upgrade from an older version is tried")
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder


def find_old_version() -> str:
    tag = run_git("describe", "--tags", "--abbrev=0", "--match", "v*")
    return tag.decode().strip() if tag else OLDEST


def run_git(*arguments: str) -> bytes | None:
    done = subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True)
    return done.stdout if done.returncode == 0 else None
