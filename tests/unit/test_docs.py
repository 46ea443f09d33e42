"""The docs name only files, functions and links that exist, and a walk in docs/architecture.md opens each file once."""

from pathlib import Path

import pytest

from support.tools import TOOLS, load_tool

CHECKS = load_tool("check_docs")


@pytest.mark.parametrize("page", CHECKS.PAGES, ids=lambda page: page.name)
def test_what_a_page_names_exists(page: Path) -> None:
    assert CHECKS.check_page(page) == []


def test_a_file_a_function_and_a_link_that_are_not_there_are_found() -> None:
    wrong = "`storage/gone.py`, `domain/item.py` (`no_such_function`), `gone.py`, `kept.domain.gone.name`"
    assert list(CHECKS.check_paths(wrong)) == [
        "there is no storage/gone.py",
        "there is no gone.py anywhere",
        "there is no kept.domain.gone.name",
    ]
    assert list(CHECKS.check_functions(wrong)) == ["domain/item.py has no no_such_function"]
    assert list(CHECKS.check_links(TOOLS / "a.md", "[a](gone.md)")) == ["a link leads to gone.md, which is not there"]


def test_a_file_that_a_walk_opens_twice_is_found() -> None:
    stops = " 1  domain/item.py    fill_gaps\n 2  domain/job.py    NewJob\n 3  domain/item.py    join_notes"
    assert list(CHECKS.check_walks(f"## A walk\n{stops}")) == ["A walk: domain/item.py twice"]
