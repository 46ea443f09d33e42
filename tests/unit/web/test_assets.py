"""Static files as they are served."""

import re
from pathlib import Path

import pytest

from kept.web.assets import FOLDER, TEXTS, read_text

FILES = sorted(path for path in FOLDER.iterdir() if path.suffix in TEXTS)
COMMENT = re.compile(r"^ */\*[^*]*\*/\n|^ *//.*\n", re.MULTILINE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_comments_and_indentation_are_left_out(path: Path) -> None:
    lines = COMMENT.sub("", path.read_text()).split("\n")
    assert read_text(path).split("\n") == [*(line.lstrip() for line in lines if line.strip()), ""]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_string_goes_over_a_line_and_would_lose_its_indentation(path: Path) -> None:
    assert all(line.count("`") % 2 == 0 for line in path.read_text().split("\n"))
