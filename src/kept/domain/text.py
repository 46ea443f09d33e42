"""Text as people and terminals see it: printable characters, forms of Unicode, and the direction of writing."""

import re
import unicodedata
from typing import Final, Literal

from kept.domain.errors import InvalidRequest

# Persian and Indian words and composed emoji are written with them.
JOINERS: Final = "\u200c\u200d"
# They spell the country in the flags of England, Scotland and Wales.
FLAG_LETTERS: Final = "".join(map(chr, range(0xE0020, 0xE0080)))
WITHOUT_JOINERS: Final = str.maketrans("", "", JOINERS + FLAG_LETTERS)
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
# Unicode's own Stream-Safe Text Format takes 30 marks on one letter to be beyond any language.
MAX_MARKS: Final = 30
# No normal form makes one character of more than four.
LARGEST_COMPOSITION: Final = 4
# Only a run of so many of these can be marks: ASCII, kana and the most frequent ideographs are none.
_MAYBE_MARKS: Final = re.compile(rf"[^\x00-\x7f\u3000-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]{{{MAX_MARKS},}}")
# Languages written from right to left.
RIGHT_TO_LEFT: Final = frozenset(
    {"ar", "arc", "arz", "azb", "ckb", "dv", "fa", "he", "iw", "ji", "ks", "lrc", "mzn", "nqo", "pnb", "prs", "ps"}
    | {"sd", "ug", "ur", "yi"}
)
RIGHT_TO_LEFT_SCRIPTS: Final = frozenset({"arab", "hebr", "syrc", "thaa", "nkoo", "adlm", "rohg"})


def parse_line(text: str) -> str | None:
    """Parse a name or tag that people read and type.

    Returns one line with one space between words, without invisible characters such as a pasted zero-width space; None
    if nothing is left or something in it cannot be shown.
    """
    line = " ".join(text.split())
    if not line.isprintable():
        line = " ".join("".join(filter(_is_seen, line)).strip(JOINERS).split())
    seen = line.translate(WITHOUT_JOINERS)
    return line if seen and seen.isprintable() else None


def replace_unprintable(text: str) -> str:
    """Replace each character for which `parse_line` would refuse the text with a space."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() or _is_format(character) else " " for character in text)


def _is_seen(character: str) -> bool:
    return not _is_format(character) or ord(character) in WITHOUT_JOINERS


def _is_format(character: str) -> bool:
    return unicodedata.category(character) == "Cf"


def normalise(text: str, form: Form) -> str:
    """Do what `unicodedata.normalize` does, in linear time; no other module calls that function.

    Python sorts the marks on a letter by insertion: 80,000 marks on one letter take it 10 s. A run that long is put in
    its canonical order first, which changes nothing in the result and leaves nothing to sort.
    """
    if text.isascii():
        return text
    if not _MAYBE_MARKS.search(text):
        return unicodedata.normalize(form, text)
    decomposed = _decomposed(form)
    marks = "".join(
        sorted(mark for mark in set(text) if unicodedata.combining(unicodedata.normalize(decomposed, mark)[0]))
    )
    if marks:
        run = re.compile(rf"[{re.escape(marks)}]{{{MAX_MARKS},}}")
        text = run.sub(lambda found: _in_canonical_order(found[0], decomposed), text)
    return unicodedata.normalize(form, text)


def normalise_within(text: str, form: Form, longest: int) -> str | None:
    """Normalise a text; return None if the result is longer than `longest`, if possible without the work."""
    if len(text) > longest * LARGEST_COMPOSITION:
        return None
    normal = normalise(text, form)
    return normal if len(normal) <= longest else None


def begins_letter(character: str) -> bool:
    """Return whether a character is no mark, and no vowel or final consonant that joins a Hangul syllable.

    No normal form composes or reorders across the border before such a character.
    """
    return not unicodedata.category(character).startswith("M") and not "\u1160" <= character <= "\u11ff"


def _decomposed(form: Form) -> Form:
    return "NFKD" if form in ("NFKC", "NFKD") else "NFD"


def _in_canonical_order(run: str, decomposed: Form) -> str:
    taken_apart = "".join(unicodedata.normalize(decomposed, mark) for mark in run)
    return "".join(sorted(taken_apart, key=unicodedata.combining))


def direction_of(lang: str | None) -> str:
    """Return the direction in which a language is written.

    It is `auto` where the language is unknown: the browser then goes by the first letter.
    """
    if not lang:
        return "auto"
    language, *rest = lang.lower().replace("_", "-").split("-")
    script = next((part for part in rest if len(part) == 4), None)
    if script is not None:
        return "rtl" if script in RIGHT_TO_LEFT_SCRIPTS else "ltr"
    return "rtl" if language in RIGHT_TO_LEFT else "ltr"


def parse_text(text: str | None, what: str, longest: int) -> str | None:
    """Trim what a person wrote; None where nothing but white space is left."""
    if text is None:
        return None
    text = text.strip()
    if len(text) > longest:
        raise InvalidRequest("%(what)s has at most %(longest)s characters.", what=what, longest=longest)
    return text or None
