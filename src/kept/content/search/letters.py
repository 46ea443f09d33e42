"""Letters of every script, as regular expressions. They take 11 ms to compile, so that this is imported where a text
is more than ASCII."""

import re
import unicodedata
from typing import Final

# Thai, Lao, Myanmar, Khmer, kana, Han, Hangul (whose words have endings that nobody types).
_SPACELESS: Final = (
    "\u0e00-\u0e3a\u0e40-\u0e4e\u0e80-\u0edf\u1000-\u103f\u1050-\u109d\u1780-\u17d3\u3005-\u3007\u3041-\u3096"
    "\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003134f"
)


def _marks() -> str:
    """Vowel signs and the like stand inside words, but Python's regular expressions do not count them as letters."""
    ranges = (range(0x300, 0x20FF), range(0xA66F, 0xAC00))
    return "".join(chr(code) for codes in ranges for code in codes if unicodedata.category(chr(code)) in {"Mn", "Mc"})


# A character of a word between spaces, as a regular expression.
_LETTER: Final = f"(?![{_SPACELESS}_])[\\w{_marks()}]"
LETTER: Final = re.compile(_LETTER)
LETTERS: Final = re.compile(f"(?:{_LETTER})*")
RUN: Final = re.compile(f"(?P<spaceless>[{_SPACELESS}]+)|(?:{_LETTER})+")
NEEDS_CARE: Final = re.compile(f"[{_SPACELESS}{_marks()}]")
