"""Writes docs/requirements.md from the marks of the tests, so that each requirement names what proves it.

`python3 tools/write_requirements.py` writes the page; `--check` only says whether it is up to date. A test names what
it proves by `@pytest.mark.requirement(SOURCE, REQUIREMENT, …)`, a file by the same mark in `pytestmark`. The marks are
read from the syntax trees: no test is imported.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
TESTS: Final = ROOT / "tests"
PAGE: Final = ROOT / "docs" / "requirements.md"

INTRODUCTION: Final = """# Requirements and the tests that prove them

`tools/write_requirements.py` writes this page from the marks of the tests. Paths are relative to `tests/`; a path
without a test stands for the whole file.
"""
# source -> title, and what it is
SOURCES: Final = {
    "000": (
        "000: Feature Specification: Synchronous Enrichment on Item Creation",
        "A save fetches the page and answers with title, excerpt and preview image; a browser is only the fallback.",
    ),
    "001": (
        "001: Research: Synchronous Enrichment on Item Creation",
        "The technical choices behind 000: time limits, memory, images, checks of addresses.",
    ),
    "002": (
        "002: slice 1: web article ingestion (read-only)",
        "A submitted URL becomes one sanitised, immutable article that everybody who saved it can read.",
    ),
    "003": (
        "003: LR005 - Content Archival & Storage: Technical Specification",
        "Pages are archived in the background, with a lifecycle, retries and protection of the own network.",
    ),
    "004": (
        "004: PR-04 — Web Article Ingestion Worker (Celery)",
        "A worker outside the API fetches, extracts, sanitises and stores articles, and merges duplicates.",
    ),
    "Kept": ("Kept's own", "What Kept promises beyond its sources."),
    "differs": (
        "Where Kept differs from its sources",
        "Two sources disagree, or one asks for what would harm: what Kept does instead.",
    ),
}


class Mark(NamedTuple):
    source: str
    requirement: str
    file: str
    test: str
    """Empty if the mark is that of the whole file."""


def list_marks() -> Iterator[Mark]:
    for path in sorted(TESTS.rglob("test_*.py")):
        yield from marks_of(path.relative_to(TESTS).as_posix(), path.read_text(encoding="utf-8"))


def marks_of(file: str, source: str) -> Iterator[Mark]:
    for node in ast.parse(source).body:
        match node:
            case (
                ast.FunctionDef(name=name, decorator_list=marks) | ast.AsyncFunctionDef(name=name, decorator_list=marks)
            ):
                yield from read_marks(file, name, marks)
            case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                yield from read_marks(file, "", value.elts if isinstance(value, ast.List) else [value])


def read_marks(file: str, test: str, marks: list[ast.expr]) -> Iterator[Mark]:
    for mark in marks:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.requirement":
            source, *requirements = (ast.literal_eval(argument) for argument in mark.args)
            yield from (Mark(source, requirement, file, test) for requirement in requirements)


def write_page(marks: list[Mark]) -> str:
    unknown = {mark.source for mark in marks} - SOURCES.keys()
    if unknown:
        raise ValueError(f"no such source of requirements: {', '.join(sorted(unknown))}")
    sections = (write_section(source, [mark for mark in marks if mark.source == source]) for source in SOURCES)
    return "\n".join([INTRODUCTION, *sections])


def write_section(source: str, marks: list[Mark]) -> str:
    """Requirements that the same tests prove share a row."""
    proofs: dict[str, list[Mark]] = defaultdict(list)
    for mark in marks:
        proofs[mark.requirement].append(mark)
    rows: dict[str, list[str]] = defaultdict(list)
    for requirement in sorted(proofs, key=natural_order):
        rows[write_tests(proofs[requirement])].append(requirement)
    title, what = SOURCES[source]
    lines = [f"| {'; '.join(requirements)} | {tests} |" for tests, requirements in rows.items()]
    return "\n".join([f"## {title}\n", f"{what}\n", "| requirement | tests |", "|---|---|", *lines, ""])


def write_tests(marks: list[Mark]) -> str:
    return ", ".join(f"`{mark.file}::{mark.test}`" if mark.test else f"`{mark.file}`" for mark in marks)


def natural_order(requirement: str) -> tuple[bool, str, list[int], str]:
    """Number 2 comes before number 10, and numbered requirements before those in words alone."""
    number = re.match(r"(FR-|US|SC-|§)([\d.]+)", requirement)
    if number is None:
        return True, "", [], requirement
    return False, number[1], [int(part) for part in number[2].split(".") if part], requirement


def main(arguments: list[str]) -> int:
    page = write_page(list(list_marks()))
    if arguments == ["--check"]:
        is_current = PAGE.read_text(encoding="utf-8") == page
        print("up to date" if is_current else "docs/requirements.md is out of date: run tools/write_requirements.py")
        return not is_current
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
