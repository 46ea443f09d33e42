"""Static files as they are served: what was bundled, if it was made of these sources; else those without comments."""

import re
from pathlib import Path

import pytest

from kept.web.assets import BUNDLED, FOLDER, FONTS, TEXTS, digest_of, find_asset, order_folders, read_text

FONT_BUDGET = 200_000
SCRIPT_BUDGET = 46_000
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix in TEXTS)
COMMENT = re.compile(r"^ */\*[^*]*\*/\n|^ *//.*\n", re.MULTILINE)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    sources, bundled = tmp_path / "static", tmp_path / "bundled"
    sources.mkdir()
    bundled.mkdir()
    (sources / "a.js").write_text("// why\nlet a;")
    (sources / "a.css").write_text("a { }")
    (bundled / "sources.sha256").write_text(digest_of([sources / "a.js", sources / "a.css"]))
    return sources, bundled


def test_what_was_bundled_of_these_sources_comes_first(folders: tuple[Path, Path]) -> None:
    sources, bundled = folders
    assert order_folders(sources, bundled) == (bundled, sources)


def test_sources_that_changed_since_come_before_the_bundle(folders: tuple[Path, Path]) -> None:
    sources, bundled = folders
    (sources / "a.js").write_text("let b;")
    assert order_folders(sources, bundled) == (sources, bundled)


def test_without_a_bundle_the_sources_are_served(folders: tuple[Path, Path]) -> None:
    assert order_folders(folders[0], folders[0] / "missing") == (folders[0],)


@pytest.mark.skipif(not FONTS, reason="NOT RUN: nothing was bundled (tools/setup.sh: ensure_bundle)")
def test_fonts_and_scripts_stay_within_their_budgets() -> None:
    fonts = list((BUNDLED / "fonts").glob("*.woff2"))
    assert len(fonts) == len(FONTS) == 10
    assert sum(path.stat().st_size for path in fonts) <= FONT_BUDGET
    assert all("OFL" in path.read_text() for path in (BUNDLED / "fonts").glob("LICENSE-*"))
    assert sum(path.stat().st_size for path in BUNDLED.glob("*.js")) <= SCRIPT_BUDGET
    assert find_asset("kept.svg").parent.name == "static"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_comments_and_indentation_are_left_out(path: Path) -> None:
    lines = COMMENT.sub("", path.read_text()).split("\n")
    assert read_text(path).split("\n") == [*(line.lstrip() for line in lines if line.strip()), ""]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_string_goes_over_a_line_and_would_lose_its_indentation(path: Path) -> None:
    assert all(line.count("`") % 2 == 0 for line in path.read_text().split("\n"))
