"""What the docs, docstrings and comments name and is not there is found by tools/check_docs.py."""

from support.fixtures.tools import TOOLS, load_tool

CHECKS = load_tool("check_docs")


def test_a_file_a_function_and_a_link_that_are_not_there_are_found() -> None:
    wrong = "`storage/gone.py`, `domain/item.py` (`no_such_function`), `gone.py`, `kept.domain.gone.name`"
    assert list(CHECKS.check_paths(wrong)) == [
        "there is no storage/gone.py",
        "there is no gone.py anywhere",
        "there is no kept.domain.gone.name",
    ]
    assert list(CHECKS.check_functions(wrong)) == ["domain/item.py has no no_such_function"]
    assert list(CHECKS.check_links(TOOLS / "a.md", "[a](gone.md)")) == ["a link leads to gone.md, which is not there"]


def test_a_file_of_a_walk_that_is_not_there_is_found() -> None:
    walk = "<!-- walk: save -->\nurls/{url,gone}.py  clock.py  gone.py\n<!-- end of walk -->"
    assert list(CHECKS.check_paths(walk)) == ["there is no urls/gone.py"]
    assert list(CHECKS.check_walks(walk)) == ["there is no gone.py"]


def test_a_file_and_a_function_that_a_docstring_names_and_that_are_not_there_are_found() -> None:
    file = CHECKS.SOURCE / "storage" / "search" / "index.py"
    source = '"""`search.py`, `fields.py`"""\nx = "`not_prose`"  # `no_such_function`, `kept.domain.gone.name`\n'
    prose = "\n".join(CHECKS.list_prose(source))
    assert list(CHECKS.check_prose(file, prose)) == [
        "there is no search.py",
        "there is no kept.domain.gone.name",
        "there is no no_such_function",
    ]
