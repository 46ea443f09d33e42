"""Texts that are not marked, and translations that are missing, stale, unsure or mangled, are found.

tools/lint.py finds them in the pages and catalogues themselves.
"""

import ast
from pathlib import Path

import pytest
from babel.messages.catalog import Message

from kept.web.i18n import LOCALES
from support.fixtures.tools import load_tool
from support.fixtures.unmarked import find_in_module, find_in_script, find_in_template

pytestmark = pytest.mark.requirement("Kept", "web pages in five languages, and from right to left")

TOOL = load_tool("messages")


@pytest.fixture(scope="module")
def template() -> object:
    return TOOL.make_template()


@pytest.mark.parametrize(
    ("english", "translated", "fault"),
    [
        ("Saved.", "", "untranslated"),
        ("%(num)s rows", "Zeilen", "values differ"),
        ("Saved: {title}", "Gespeichert: {titel}", "values differ"),
        ("100%% of %(all)s", "100 % von %(all)s", "a lone %"),
        ('<a href="/help">Help</a>', "<a href='/hilfe'>Hilfe</a>", "markup differs"),
        ("Saved", 'Ge"speichert', "a straight quote"),
        ("Saved", "Gespeichert ", "white space"),
        (("%(num)s row", "%(num)s rows"), ("%(num)s Zeile",), "wrong number of plural forms"),
        (("%(num)s row", "%(num)s rows"), ("%(num)s Zeile", ""), "untranslated"),
    ],
)
def test_what_is_wrong_with_a_translation_is_found(
    english: str | tuple[str, ...], translated: str | tuple[str, ...], fault: str
) -> None:
    [found] = TOOL.faults_of(Message(english, translated), 2)
    assert found.startswith(fault)


def test_a_translation_nobody_has_looked_at_is_found() -> None:
    assert list(TOOL.faults_of(Message("Saved", "Gespeichert", flags=("fuzzy",)), 2)) == ["fuzzy"]


def test_what_is_missing_and_what_is_stale_is_found(tmp_path: Path, template: object) -> None:
    folder = tmp_path / "de"
    catalogue = TOOL.read(LOCALES / "de")
    catalogue.delete("Account")
    catalogue.add("No such text", "Kein solcher Text")
    TOOL.write(TOOL.path_of(folder), catalogue)
    assert list(TOOL.check(folder, template)) == ["missing: (None, 'Account')", "stale: (None, 'No such text')"]


@pytest.mark.parametrize(
    "source",
    [
        "<p>Saved pages</p>",
        '<button aria-label="Close">×</button>',
        '<input placeholder="Name">',
        '{{ "Saved" if saved else _("Not saved") }}',
        '{{ choice("theme", "The theme") }}',
        "{% if x %}Saved pages{% endif %}",
    ],
)
def test_unmarked_text_in_a_template_is_found(source: str) -> None:
    assert len(find_in_template(source)) == 1


def test_unmarked_text_in_a_script_or_a_module_is_found() -> None:
    assert find_in_script('showToast("Not saved yet"); t("Saved now")', {"Saved now"}) == ["Not saved yet"]
    assert find_in_module('"""Saved now"""\nLABEL = "Not saved yet"', set()) == ["Not saved yet"]


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ('raise Conflict(f"{name} is a member already.")', True),
        ('raise Conflict("%(name)s is a member already.", name=name)', False),
        ('raise ValueError(f"no such key: {name}")', False),
    ],
)
def test_a_message_that_is_an_f_string_is_found(source: str, is_found: bool) -> None:
    [raised] = ast.parse(source).body
    assert isinstance(raised, ast.Raise)
    assert TOOL.tells_a_formatted(raised.exc) is is_found
