"""The words a text is found by, made the same for both databases: folded, and in pairs where a script has no spaces.

A database only ever sees tokens from here, joined by spaces; it must not fold or split them further.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from kept.domain.text import normalise

# The version of these tokens: whoever changes them raises it, and every index is made anew (`kept reindex`).
WORDS_VERSION: Final = 2
# The longest word anybody looks for; longer ones are data (and PostgreSQL takes no lexeme over 2 kB).
LONGEST_TOKEN: Final = 64
# A book of 500 pages. Some hundred milliseconds; beyond it a hostile page could hold up everybody who saves.
MOST_CHARACTERS: Final = 1_000_000
# Letters with a stroke or a hook are letters of their own to Unicode; people who lack the key type the plain one.
_LATIN: Final = {
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "æ": "ae",
    "œ": "oe",
    "ı": "i",
    "ħ": "h",
    "ŧ": "t",
    "ŋ": "n",
}
_LATIN_LETTER: Final = re.compile(f"[{''.join(_LATIN)}]")  # `str.translate` takes ten times as long
# Signs that would become several characters and are in no word: text that keeps its length is marked at once.
_SIGNS: Final = re.compile("[…™℠‥⁇⁈⁉]")
# Beyond ASCII, most texts have nothing but these: they become spaces or stay as they are.
NO_LETTERS: Final = "\u00a0£§©«®°·»‐‒–—―‘’‚‛“”„‟†‡•…€™"
_UNCOMMON: Final = re.compile(f"[^\\x00-\\x7f{NO_LETTERS}]")
# Characters that stand for whole words, one of them for eighteen letters. A text may have some; in a long one of
# little else they are dropped, or the text would grow eighteenfold.
_WORDY: Final = re.compile("[\u3200-\u33ff\ufdf0-\ufdfc\U0001f100-\U0001f2ff]")
_SHORT: Final = 1_000
_MOST_WORDY: Final = 0.05
# Accents of Latin, Greek and Cyrillic, points of Hebrew, vowel marks of Arabic: what people leave out when they type.
# Not the vowel signs of India or Thailand, nor the voicing marks of kana: without those a word is another word.
_ACCENTS: Final = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_PLAIN_WORD: Final = re.compile(r"[^\W_]+")
# Letters of every script, as regular expressions. They take 11 ms to compile, so that this is imported where a text
# is more than ASCII.
# Thai, Lao, Myanmar, Khmer, kana, Han, Hangul (whose words have endings that nobody types).
_SPACELESS: Final = (
    "\u0e00-\u0e3a\u0e40-\u0e4e\u0e80-\u0edf\u1000-\u103f\u1050-\u109d\u1780-\u17d3\u3005-\u3007\u3041-\u3096"
    "\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003134f"
)


def _marks() -> str:
    """Return vowel signs and the like, which are part of words, but no letters to Python's regular expressions."""
    ranges = (range(0x300, 0x20FF), range(0xA66F, 0xAC00))
    return "".join(chr(code) for codes in ranges for code in codes if unicodedata.category(chr(code)) in {"Mn", "Mc"})


# A character of a word between spaces, as a regular expression.
_LETTER: Final = f"(?![{_SPACELESS}_])[\\w{_marks()}]"
LETTER: Final = re.compile(_LETTER)
LETTERS: Final = re.compile(f"(?:{_LETTER})*")
RUN: Final = re.compile(f"(?P<spaceless>[{_SPACELESS}]+)|(?:{_LETTER})+")
NEEDS_CARE: Final = re.compile(f"[{_SPACELESS}{_marks()}]")


def fold(text: str) -> str:
    """Fold a text as people type it who leave out capitals and accents."""
    text = text.casefold()
    if text.isascii():
        return text
    if not has_uncommon(text):
        return _SIGNS.sub(" ", text.replace("\u00a0", " "))
    if len(text) > _SHORT and len(_WORDY.findall(text)) > len(text) * _MOST_WORDY:
        text = _WORDY.sub(" ", text)
    # Casefold again: what stands for several letters may come apart into capitals.
    bare = _ACCENTS.sub("", normalise(_SIGNS.sub(" ", text), "NFKD").casefold())
    return _LATIN_LETTER.sub(lambda letter: _LATIN[letter[0]], normalise(bare, "NFC"))


def has_uncommon(text: str) -> bool:
    """Return whether folding changes some of the small letters."""
    return not text.isascii() and _UNCOMMON.search(text) is not None


def list_runs(folded: str) -> Iterator[tuple[str, bool]]:
    """Yield the words of a folded text, and whether each is a stretch of a script without spaces."""
    if folded.isascii():
        yield from ((word, False) for word in _PLAIN_WORD.findall(folded))
        return

    for match in RUN.finditer(folded):
        yield match.group(), match.lastgroup == "spaceless"


def list_tokens(text: str) -> list[str]:
    """Return the tokens that an index holds of a text, in order."""
    folded = fold(text[:MOST_CHARACTERS])
    if not needs_care(folded):
        return [word for word in _PLAIN_WORD.findall(folded) if len(word) <= LONGEST_TOKEN]
    tokens: list[str] = []
    for run, is_spaceless in list_runs(folded):
        tokens += split_run(run, is_spaceless=is_spaceless)
    return tokens


def needs_care(folded: str) -> bool:
    """Return whether a text has more than plain words; most have not, and are split three times as fast."""
    if folded.isascii():
        return False

    return NEEDS_CARE.search(folded) is not None


def split_run(run: str, *, is_spaceless: bool) -> list[str]:
    """Split a word into pairs and its last character, so that every character begins a token and is found alone."""
    if is_spaceless:
        return [*pair_up(run), run[-1]]
    return [run] if len(run) <= LONGEST_TOKEN else []


def pair_up(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def index_words(*texts: str | None) -> str:
    """Return the tokens of some texts, joined for a database."""
    return " ".join(token for text in texts if text for token in list_tokens(text))
