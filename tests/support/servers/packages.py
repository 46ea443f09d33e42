"""Sdist and wheel, built as a release builds them: from a copy of the project, the wheel from what the sdist holds."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

from support.servers.commands import clean_environment

ROOT: Final = Path(__file__).parents[3]
BUILT_FROM: Final = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore", "src")


def run(*command: str | Path, cwd: Path, timeout: int = 300) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False, env=clean_environment()
    )


def build(source: Path, target: str, into: Path) -> "subprocess.CompletedProcess[str]":
    return run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", into, cwd=source)


def copy_source(folder: Path) -> Path:
    """The project as it is published: without the repository and what lies about in it."""
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def build_packages(source: Path, folder: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel built from what the sdist holds."""
    assert build(source, "sdist", folder).returncode == 0
    [sdist] = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    [unpacked] = (folder / "unpacked").iterdir()
    assert build(unpacked, "wheel", folder).returncode == 0
    [wheel] = folder.glob("*.whl")
    return sdist, wheel
