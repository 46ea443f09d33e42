"""The languages of the pages, which of them a browser asks for (RFC 4647, lookup), and texts in the language of a page.

Texts are written in English; the other languages have a gettext catalogue in `locales/`. In Python, `_` and its kin
return plain text; in a template they are Jinja's own (`install_texts`), which escape the values. Texts have `%(name)s`
for a value; whole numbers are written as the language writes them.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, reduce
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Any, Final

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from jinja2 import Environment, pass_context
from jinja2.runtime import Context

from kept.domain.message import Message

LOCALES: Final = Path(__file__).parent / "locales"
DOMAIN: Final = "kept"
# The context of texts that come from below the pages: errors, reasons of failures, problems of an import.
MESSAGE: Final = "message"
# A browser sends a handful; the rest is not read.
MAX_HEADER: Final = 400
MAX_RANGES: Final = 20
# These are written in another script than our translation, although the language is the same.
TRADITIONAL: Final = frozenset({"zh-hant", "zh-tw", "zh-hk", "zh-mo"})


@dataclass(frozen=True, slots=True)
class Language:
    tag: str
    """The BCP 47 tag, for `lang` and HTTP."""
    name: str
    """The name in the language itself."""
    locale: Locale
    """Babel's locale, for dates and numbers."""

    @property
    def direction(self) -> str:
        return str(self.locale.text_direction)


ENGLISH: Final = Language("en", "English", Locale("en", "GB"))
LANGUAGES: Final[dict[str, Language]] = {
    language.tag: language
    for language in (
        ENGLISH,
        Language("de", "Deutsch", Locale("de")),
        Language("fr", "Français", Locale("fr")),
        Language("es", "Español", Locale("es")),
        Language("zh-Hans", "简体中文", Locale("zh", script="Hans")),
    )
}

_current: Final = ContextVar("language", default=ENGLISH)


def current_language() -> Language:
    """Return the language of the page that is being rendered; English everywhere else."""
    return _current.get()


@contextmanager
def writing_in(language: Language) -> Iterator[None]:
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


def choose_language(preferred: str, accepted: str) -> Language:
    """Return the person's own choice, `preferred`, or else the best for the Accept-Language header `accepted`."""
    return LANGUAGES.get(preferred) or negotiate_language(accepted)


def negotiate_language(accepted: str) -> Language:
    known = {tag.lower(): language for tag, language in LANGUAGES.items()} | {"zh": LANGUAGES["zh-Hans"]}
    for wanted in parse_accepted(accepted):
        if found := look_up(wanted, known):
            return found
    return ENGLISH


def parse_accepted(header: str) -> list[str]:
    """Return the language tags in the order of their quality, without refused ones (`q=0`)."""
    ranges = [parse_range(part) for part in header[:MAX_HEADER].split(",")[:MAX_RANGES]]
    return [tag for tag, quality in sorted(ranges, key=lambda one: -one[1]) if tag and quality > 0]


def parse_range(text: str) -> tuple[str, float]:
    tag, _, parameter = text.partition(";")
    name, _, value = parameter.strip().partition("=")
    return tag.strip().lower(), parse_quality(value.strip()) if name.strip() == "q" else 1.0


def parse_quality(text: str) -> float:
    is_number = text.isascii() and len(text) <= 5 and text.replace(".", "", 1).isdecimal()
    return min(float(text), 1.0) if is_number else 0.0


def look_up(wanted: str, known: Mapping[str, Language]) -> Language | None:
    """Return the language itself, or the one that a shorter tag names: `de` for `de-AT`."""
    parts = wanted.split("-")
    for length in range(len(parts), 0, -1):
        tag = "-".join(parts[:length])
        if tag in TRADITIONAL:
            return None
        if tag in known:
            return known[tag]
    return None


# --- catalogues -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Translations:
    texts: NullTranslations = field(default_factory=NullTranslations)
    scripts: Mapping[str, str] = field(default_factory=dict)
    """The texts of the scripts in `static/`."""


@cache
def read_translations(tag: str) -> Translations:
    """Read the catalogue of a language once, when it is first needed; it is not compiled when Kept is built."""
    folder = tag.replace("-", "_")
    path = LOCALES / folder / "LC_MESSAGES" / f"{DOMAIN}.po"
    if not path.exists():
        return Translations()
    with path.open("rb") as file:
        return make_translations(read_po(file, locale=folder))


def make_translations(catalogue: Catalog) -> Translations:
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    scripts = {
        str(message.id): str(message.string)
        for message in catalogue
        if message.string and any(path.endswith(".js") for path, _ in message.locations)
    }
    return Translations(GNUTranslations(compiled), scripts)


def translations() -> Translations:
    """Return the translations for the page that is being rendered."""
    return read_translations(current_language().tag)


# --- texts of the pages -----------------------------------------------------------------------------------------------


def N_(text: str) -> str:  # noqa: N802 (as gettext calls it)
    """Mark a text that is translated where it is shown."""
    return text


def NN_(one: str, many: str) -> tuple[str, str]:  # noqa: N802
    """Mark a text that depends on a number."""
    return one, many


def _(text: str, /, **values: object) -> str:
    return fill_in(find_text(text), values)


def pgettext(context: str, text: str, /, **values: object) -> str:
    """Translate a text that means different things in different places: `context` says which."""
    return fill_in(find_text_in_context(context, text), values)


def ngettext(one: str, many: str, number: int, /, **values: object) -> str:
    return fill_in(find_plural(one, many, number), {"num": number, **values})


def join_sentences(*sentences: str) -> str:
    """Join the sentences that are not empty, with a space between them if the language has one there."""
    said = [sentence for sentence in sentences if sentence]
    return reduce(join_two, said) if said else ""


def join_two(first: str, second: str) -> str:
    return pgettext("two sentences", "%(first)s %(second)s", first=first, second=second)


def translate_message(message: Message) -> str:
    """Translate a message from below the pages, such as an error or the reason of a failure, and its values."""
    text = find_message(message.text)
    return text % {name: find_message(str(value)) for name, value in message.values.items()} if message.values else text


def find_message(text: str) -> str:
    """Translate a text. For an empty one gettext would return the head of the catalogue."""
    if not text:
        return ""
    found = find_text_in_context(MESSAGE, text)
    return found if found != text else find_text(text)


def find_text(text: str) -> str:
    return translations().texts.gettext(text)


def find_text_in_context(context: str, text: str) -> str:
    return translations().texts.pgettext(context, text)


def find_plural(one: str, many: str, number: int) -> str:
    return translations().texts.ngettext(one, many, number)


def fill_in(text: str, values: Mapping[str, object]) -> str:
    return text % write_numbers(values) if values else text


def write_numbers(values: Mapping[str, object]) -> dict[str, object]:
    return {name: format_number(value) if type(value) is int else value for name, value in values.items()}


def format_number(number: int) -> str:
    return str(number) if -1000 < number < 1000 else str(format_decimal(number, locale=current_language().locale))


# --- the same in templates --------------------------------------------------------------------------------------------


def install_texts(environment: Environment) -> None:
    """Install `_`, `ngettext`, `pgettext` and `{% trans %}` of Jinja's extension for the language of the page."""
    functions: dict[str, Callable[..., str]] = {"pgettext": find_text_in_context}
    environment.install_gettext_callables(  # type: ignore[attr-defined]  # added by the extension
        find_text, find_plural, newstyle=True, **functions
    )
    for name in ("gettext", "ngettext", "pgettext"):
        environment.globals[name] = write_numbers_for(environment.globals[name])


def write_numbers_for(function: Any) -> Callable[..., str]:
    """Wrap `function` so that whole numbers, also the last argument of `ngettext`, are written by language."""

    @pass_context
    def call(context: Context, *texts: str | int, **values: object) -> str:
        if type(texts[-1]) is int:
            values.setdefault("num", texts[-1])
        found: str = function(context, *texts, **write_numbers(values))
        return found

    return call
