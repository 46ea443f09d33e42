"""Two languages that nobody speaks, for tests: one accented and 40 percent longer, one written from right to left."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

from babel import Locale
from babel.messages.catalog import Message

from kept.web import i18n
from kept.web.i18n import LANGUAGES, Language, Translations, make_translations, read_translations
from support.tools import load_tool

Change = Callable[[str], str]

LONG: Final = Language("en-XA", "Łóñģ", Locale("en", "GB"))
MIRRORED: Final = Language("ar-XB", "Mirrored", Locale("ar"))
# Values and markup stay as they are.
KEPT: Final = re.compile(r"(%\(\w+\)s|%%|\{\w+\}|<[^<>]+>)")
ACCENTS: Final = str.maketrans("AEIOUCNSaeioucns", "ÅÉÎÖÛÇÑŠåéîöûçñš")
HEBREW: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz" * 2, "אבגדהוזחטיכלמנסעפצקרשתאבגד" * 2)


def lengthen(text: str) -> str:
    """The padding is made of words of five letters, as the lines of a longer language would be."""
    padding = "öłéñš " * (len(text) // 6 + 1)
    return f"{text.translate(ACCENTS)} {padding[: max(1, len(text) * 2 // 5)].strip()}"


def mirror(text: str) -> str:
    return text.lower().translate(HEBREW)


def change(text: str, how: Change) -> str:
    parts = KEPT.split(text)
    return "".join(part if at % 2 or not part.strip() else how(part) for at, part in enumerate(parts))


def make_pseudo(how: Change) -> Translations:
    messages = load_tool("messages")
    catalogue = messages.make_empty("en")
    for message in messages.make_template():
        if message.id:
            catalogue[message.id] = translate(message, how)
    return make_translations(catalogue)


def translate(message: Message, how: Change) -> Message:
    is_plural = isinstance(message.id, tuple)
    message.string = tuple(change(form, how) for form in message.id) if is_plural else change(str(message.id), how)
    return message


@contextmanager
def pseudo_languages() -> Iterator[None]:
    """A browser that asks for `en-XA` or `ar-XB` gets them."""
    made = {LONG.tag: make_pseudo(lengthen), MIRRORED.tag: make_pseudo(mirror)}
    with (
        patch.dict(LANGUAGES, {LONG.tag: LONG, MIRRORED.tag: MIRRORED}),
        patch.object(i18n, "read_translations", lambda tag: made.get(tag) or read_translations(tag)),
    ):
        yield
