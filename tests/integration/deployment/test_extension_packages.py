"""Firefox's package of the extension, read by Mozilla's own linter."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
TOOLS = ROOT / ".tools" / "web-ext"
LINTER = TOOLS / "node_modules" / ".bin" / "web-ext"
VERSION = "8"


def install_linter() -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("NPM IS NOT INSTALLED: the extension's package for Firefox is not linted")
    command = [
        npm,
        "install",
        "--prefix",
        str(TOOLS),
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        f"web-ext@{VERSION}",
    ]
    installed = subprocess.run(command, capture_output=True, text=True, check=False)
    if installed.returncode != 0:
        pytest.skip(f"WEB-EXT CANNOT BE INSTALLED: the package for Firefox is not linted: {installed.stderr[-300:]}")


def lint(package: Path) -> dict[str, Any]:
    command = [str(LINTER), "lint", "--source-dir", str(package), "--output", "json", "--no-config-discovery"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.mark.long
def test_mozillas_linter_finds_nothing(tmp_path: Path) -> None:
    if not LINTER.exists():
        install_linter()
    command = [sys.executable, str(ROOT / "tools" / "pack_extension.py"), "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    [package] = tmp_path.glob("*-firefox.zip")
    found = lint(package)
    assert (found["errors"], found["warnings"]) == ([], [])
    assert found["metadata"]["manifestVersion"] == 3
