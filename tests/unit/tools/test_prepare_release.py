"""tools/prepare_release.py: the changelog's section and the version in every file, all or nothing."""

import shutil
from pathlib import Path

import pytest

from kept.version import __version__
from support.fixtures.tools import load_tool

ROOT = Path(__file__).parents[3]


TOOL = load_tool("prepare_release")
CHANGELOG = "# Changelog\n\n## Unreleased\n\n### Added\n- Something.\n\n## 0.1.0 – 2026-01-01\n\n- The beginning.\n"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files a release changes."""
    for name in [*TOOL.VERSIONED, TOOL.CHANGELOG]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_every_file_that_names_the_version_is_changed(copy: Path) -> None:
    TOOL.prepare(copy, "7.8.9", "2026-12-24")
    for name in TOOL.VERSIONED:
        text = (copy / name).read_text()
        assert "7.8.9" in text, name
        assert __version__ not in text, name
    assert "## 7.8.9 – 2026-12-24" in (copy / TOOL.CHANGELOG).read_text()


def test_what_was_unreleased_becomes_the_section_of_the_version() -> None:
    released = TOOL.release_section(CHANGELOG, "0.2.0", "2026-12-24")
    assert TOOL.find_section(released, "Unreleased") == ""
    assert TOOL.find_section(released, "0.2.0") == "### Added\n- Something."
    assert TOOL.find_section(released, "0.1.0") == "- The beginning."


@pytest.mark.parametrize("version", ["0.2", "v0.2.0", "0.2.0; rm -rf /", ""])
def test_something_that_is_no_version_is_refused_and_no_file_is_changed(copy: Path, version: str) -> None:
    before = {name: (copy / name).read_text() for name in TOOL.VERSIONED}
    with pytest.raises(TOOL.Refused):
        TOOL.prepare(copy, version, "2026-12-24")
    assert {name: (copy / name).read_text() for name in TOOL.VERSIONED} == before


def test_a_version_that_was_released_is_refused() -> None:
    with pytest.raises(TOOL.Refused, match=r"has a section 0\.1\.0 already"):
        TOOL.release_section(CHANGELOG, "0.1.0", "2026-12-24")


def test_a_release_of_nothing_is_refused() -> None:
    nothing = "# Changelog\n\n## Unreleased\n\n## 0.1.0 – 2026-01-01\n\n- The beginning.\n"
    with pytest.raises(TOOL.Refused, match="nothing under Unreleased"):
        TOOL.release_section(nothing, "0.2.0", "2026-12-24")
