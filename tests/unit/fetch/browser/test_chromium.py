from pathlib import Path

import pytest

from kept.fetch.browser import chromium
from kept.fetch.browser.chromium import find_chromium


def make_program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def empty_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(chromium, "NAMES", ("chromium", "google-chrome"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "playwright"))
    return tmp_path


def test_a_machine_without_a_browser_has_none(empty_machine: Path) -> None:
    assert find_chromium() is None


def test_the_configured_browser_comes_first(empty_machine: Path) -> None:
    make_program(empty_machine / "bin/chromium")
    mine = make_program(empty_machine / "my-chromium")

    assert find_chromium(mine) == mine


def test_a_configured_browser_that_is_missing_is_not_replaced_by_another(empty_machine: Path) -> None:
    make_program(empty_machine / "bin/chromium")

    assert find_chromium(empty_machine / "nowhere") is None


def test_the_systems_browser_comes_before_playwrights_own(empty_machine: Path) -> None:
    make_program(empty_machine / "playwright/chromium-1300/chrome-linux64/chrome")
    system = make_program(empty_machine / "bin/google-chrome")

    assert find_chromium() == system


def test_playwrights_own_browser_is_found_the_newest_first(empty_machine: Path) -> None:
    make_program(empty_machine / "playwright/chromium-1200/chrome-linux/chrome")
    newest = make_program(empty_machine / "playwright/chromium-1300/chrome-linux64/chrome")

    assert find_chromium() == newest
