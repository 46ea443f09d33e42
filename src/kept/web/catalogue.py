"""A catalogue: the texts of the pages in one language, read from its .po file when the language is first asked for."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import Final

from babel.messages.catalog import Message
from babel.messages.pofile import read_po

LOCALES: Final = Path(__file__).parent / "locales"
DOMAIN: Final = "kept"
# The context of texts that come from below the pages: errors, reasons of failures, problems of an import.
MESSAGE: Final = "message"
HOLE: Final = re.compile(r"%\((\w{1,40})\)s")
# A message is a sentence or two; what is longer has foreign text in it.
MAX_MESSAGE: Final = 1000

Key = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Catalogue:
    texts: Mapping[Key, str] = field(default_factory=dict)
    """By context and English text."""
    plurals: Mapping[Key, tuple[str, ...]] = field(default_factory=dict)
    plural_form: Callable[[int], int] = lambda number: int(number != 1)
    scripts: Mapping[str, str] = field(default_factory=dict)
    """What the scripts in `static/` say."""
    patterns: tuple[tuple[re.Pattern[str], str], ...] = ()
    """Messages with values in them."""

    def find(self, text: str, context: str | None = None) -> str:
        return self.texts.get((context, text), text)

    def find_plural(self, one: str, many: str, number: int, context: str | None = None) -> str:
        forms = self.plurals.get((context, one), (one, many))
        return forms[min(self.plural_form(number), len(forms) - 1)]

    def find_message(self, text: str) -> str:
        """A message as it was stored or raised, with its values in it."""
        found = self.texts.get((MESSAGE, text)) or self.texts.get((None, text))
        if found is not None or len(text) > MAX_MESSAGE:
            return found or text
        for pattern, translated in self.patterns:
            if match := pattern.fullmatch(text):
                return translated % {name: self.find(value, MESSAGE) for name, value in match.groupdict().items()}
        return text


ENGLISH_CATALOGUE: Final = Catalogue()


@cache
def read_catalogue(tag: str) -> Catalogue:
    """Of the language with this tag. Not compiled when Kept is built: it is read once, when it is first asked for."""
    folder = tag.replace("-", "_")
    path = LOCALES / folder / "LC_MESSAGES" / f"{DOMAIN}.po"
    if not path.exists():
        return ENGLISH_CATALOGUE
    with path.open("rb") as file:
        read = read_po(file, locale=folder)
    return make_catalogue([message for message in read if is_usable(message)], read.plural_expr)


def is_usable(message: Message) -> bool:
    return bool(message.id) and not message.fuzzy and all(forms_of(message))


def forms_of(message: Message) -> tuple[str, ...]:
    return (message.string or "",) if isinstance(message.string, str | None) else tuple(message.string)


def make_catalogue(messages: Iterable[Message], plural_expression: str) -> Catalogue:
    texts: dict[Key, str] = {}
    plurals: dict[Key, tuple[str, ...]] = {}
    scripts: dict[str, str] = {}
    for message in messages:
        forms = forms_of(message)
        if isinstance(message.id, tuple | list):
            plurals[message.context, message.id[0]] = forms
            continue
        texts[message.context, message.id] = forms[0]
        if any(path.endswith(".js") for path, _ in message.locations):
            scripts[message.id] = forms[0]
    found = {text: told for (context, text), told in texts.items() if context == MESSAGE and HOLE.search(text)}
    patterns = tuple((make_pattern(text), told) for text, told in sorted(found.items(), key=lambda one: -len(one[0])))
    return Catalogue(texts, plurals, c2py(plural_expression), scripts, patterns)


def make_pattern(text: str) -> re.Pattern[str]:
    """What `text` became when its values were put in. The longest is tried first: it says most."""
    parts = HOLE.split(text)
    return re.compile("".join(f"(?P<{part}>.+)" if at % 2 else re.escape(part) for at, part in enumerate(parts)))
