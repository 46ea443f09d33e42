"""docs/requirements.md names tests: each of them exists, so that no requirement loses its proof in silence."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
TABLE: Final = ROOT / "docs" / "requirements.md"
PLACES: Final = (ROOT / "tests", ROOT / "tests" / "integration")


def list_named() -> list[tuple[str, str]]:
    """File or folder, and a test in it (`test_a_…` stands for all that begin so); `…::` is the file before."""
    named = []
    for line in TABLE.read_text().splitlines():
        path = ""
        for code in re.findall(r"`([^`]+)`", line.rpartition("|")[0].rpartition("|")[2]):
            if code.startswith("./"):
                continue
            file, _, name = code.partition("::")
            path = path if file == "…" else file
            named.append((path, name))
    return named


def find(path: str) -> Path:
    found = next((place / path for place in PLACES if (place / path).exists()), None)
    assert found is not None, f"there is no {path}"
    return found


@pytest.mark.parametrize(("path", "name"), list_named())
def test_every_test_that_is_named_exists(path: str, name: str) -> None:
    found = find(path)
    if name:
        start, _, more = name.partition("…")
        assert not more
        ending = r"\w*\(" if "…" in name else r"\("
        assert re.search(rf"^(async )?def {start}{ending}", found.read_text(), re.MULTILINE), f"no {name} in {path}"


def test_the_table_names_many_tests() -> None:
    assert len(list_named()) > 80
