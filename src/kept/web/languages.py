"""The languages of the pages, which of them a browser asks for (RFC 4647, lookup), and the one a page is written in.
English is what the texts are written in; the others have a catalogue in `locales/`."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from babel import Locale

# A browser sends a handful; what is beyond is not read.
MAX_HEADER: Final = 400
MAX_RANGES: Final = 20
# Written in another script than ours, although the language is the same.
TRADITIONAL: Final = frozenset({"zh-hant", "zh-tw", "zh-hk", "zh-mo"})


@dataclass(frozen=True, slots=True)
class Language:
    tag: str
    """BCP 47, for `lang` and HTTP."""
    name: str
    """In the language itself."""
    locale: Locale
    """For dates and numbers."""

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
    """The one of the page that is being rendered; English everywhere else."""
    return _current.get()


@contextmanager
def writing_in(language: Language) -> Iterator[None]:
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


def choose_language(preferred: str, accepted: str) -> Language:
    """`preferred` is the person's choice, `accepted` the browser's Accept-Language header."""
    return LANGUAGES.get(preferred) or negotiate_language(accepted)


def negotiate_language(accepted: str) -> Language:
    known = {tag.lower(): language for tag, language in LANGUAGES.items()} | {"zh": LANGUAGES["zh-Hans"]}
    for wanted in parse_accepted(accepted):
        if found := look_up(wanted, known):
            return found
    return ENGLISH


def parse_accepted(header: str) -> list[str]:
    """The tags in the order of their quality; those that are refused (`q=0`) left out."""
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
    """The language itself, else what is left of its tag without its last parts: `de-AT` is `de`."""
    parts = wanted.split("-")
    for length in range(len(parts), 0, -1):
        tag = "-".join(parts[:length])
        if tag in TRADITIONAL:
            return None
        if tag in known:
            return known[tag]
    return None
