"""Every text of the pages is marked, and translated into every language: nothing missing, stale, unsure or mangled."""

import ast
from pathlib import Path

import pytest
from babel.messages.catalog import Message

from kept.domain.failures import FailureCode
from kept.domain.preferences import LanguageChoice
from kept.fetch.outcome import MESSAGES
from kept.urls.given import REJECTIONS
from kept.web.assets import FOLDER
from kept.web.i18n import ENGLISH, LANGUAGES, LOCALES, _, writing_in
from kept.web.messages import ADVICE, REASONS, list_sentences, tell
from kept.web.rendering import environment
from support.tools import load_tool
from support.unmarked import find_in_module, find_in_script, find_in_template

pytestmark = pytest.mark.requirement("Kept", "web pages in five languages, and from right to left")

TOOL = load_tool("messages")
OTHERS = [tag for tag in LANGUAGES if tag != ENGLISH.tag]
WEB = LOCALES.parent
# The reference of the API is in English, as the API is.
IN_ENGLISH = frozenset({"api_docs.py"})


@pytest.fixture(scope="module")
def template() -> object:
    return TOOL.make_template()


@pytest.fixture(scope="module")
def marked(template: list[Message]) -> set[str]:
    ids = [message.id for message in template if message.id]
    return {str(text) for one in ids for text in (one if isinstance(one, tuple) else (one,))}


@pytest.mark.parametrize("tag", OTHERS)
def test_every_text_is_translated(tag: str, template: object) -> None:
    """If this fails: tools/messages.py adds what is new to the catalogues; then translate it there."""
    assert list(TOOL.check(LOCALES / tag.replace("-", "_"), template)) == []


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


@pytest.mark.parametrize("name", environment.list_templates())
def test_a_template_has_no_unmarked_text(name: str) -> None:
    assert find_in_template((WEB / "templates" / name).read_text()) == []


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


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.js")), ids=lambda path: path.name)
def test_a_script_has_no_unmarked_text(path: Path, marked: set[str]) -> None:
    assert find_in_script(path.read_text(), marked) == []


@pytest.mark.parametrize("path", sorted(WEB.glob("*.py")), ids=lambda path: path.name)
def test_a_module_of_the_pages_has_no_unmarked_text(path: Path, marked: set[str]) -> None:
    assert path.name in IN_ENGLISH or find_in_module(path.read_text(), marked) == []


def test_unmarked_text_in_a_script_or_a_module_is_found() -> None:
    assert find_in_script('showToast("Not saved yet"); t("Saved now")', {"Saved now"}) == ["Not saved yet"]
    assert find_in_module('"""Saved now"""\nLABEL = "Not saved yet"', set()) == ["Not saved yet"]


@pytest.mark.parametrize("tag", OTHERS)
def test_messages_from_below_the_pages_are_translated(tag: str) -> None:
    messages = [*MESSAGES.values(), *REJECTIONS.values(), *list_sentences()]
    texts = [*(ADVICE[code] for code in FailureCode), *(REASONS[code] for code in FailureCode)]
    with writing_in(LANGUAGES[tag]):
        assert [text for text in messages if tell(text) == text] == []
        assert [text for text in texts if _(text) == text and text != "E-books"] == []


def test_a_value_in_the_message_of_an_error_has_a_name() -> None:
    """As an f-string it could not be translated."""
    assert list(TOOL.find_formatted()) == []


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


def test_every_language_can_be_chosen() -> None:
    assert [choice.value for choice in LanguageChoice] == ["browser", *LANGUAGES]


@pytest.mark.parametrize("tag", OTHERS)
def test_the_stylesheet_says_where_a_highlight_begins_in_every_language(tag: str) -> None:
    styles = (FOLDER / "reading.css").read_text()
    assert f":root:lang({tag.split('-')[0]}) {{ --says-highlight: " in styles
