"""docs/requirements.md is what the marks of the tests say, so that no requirement loses its proof in silence."""

import pytest

from support.fixtures.tools import load_tool

TOOL = load_tool("write_requirements")


def test_the_page_is_what_the_marks_say() -> None:
    marks = list(TOOL.list_marks())
    assert len(marks) > 300
    assert TOOL.write_page(marks) == TOOL.PAGE.read_text(), "run python3 tools/write_requirements.py"


def test_marks_of_functions_and_of_files_are_read() -> None:
    source = """
pytestmark = [on_both_databases, pytest.mark.requirement("002", "§3 one")]

@pytest.mark.requirement("000", "FR-001", "US1")
async def test_it() -> None: ...
"""
    assert list(TOOL.marks_of("a.py", source)) == [
        TOOL.Mark("002", "§3 one", "a.py", ""),
        TOOL.Mark("000", "FR-001", "a.py", "test_it"),
        TOOL.Mark("000", "US1", "a.py", "test_it"),
    ]


def test_requirements_with_the_same_tests_share_a_row_in_the_order_of_their_numbers() -> None:
    marks = [TOOL.Mark("000", name, "a.py", "test_it") for name in ("words", "FR-010", "FR-2")]
    assert "| FR-2; FR-010; words | `a.py::test_it` |" in TOOL.write_section("000", marks)


def test_an_unknown_source_is_refused() -> None:
    with pytest.raises(ValueError, match="005"):
        TOOL.write_page([TOOL.Mark("005", "§1", "a.py", "test_it")])
