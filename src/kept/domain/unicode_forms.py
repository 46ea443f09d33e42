"""Unicode's normal forms in linear time. The only module that calls `unicodedata.normalize`, which is not linear."""

import re
import unicodedata
from typing import Final, Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

# Unicode's own Stream-Safe Text Format takes 30 marks on one letter to be beyond any language.
MAX_MARKS: Final = 30
# No normal form makes one character of more than four.
LARGEST_COMPOSITION: Final = 4
# So many in a row may be marks: none is of ASCII, kana or the most frequent ideographs, which are no marks.
_MAYBE_MARKS: Final = re.compile(rf"[^\x00-\x7f\u3000-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]{{{MAX_MARKS},}}")


def normalise(text: str, form: Form) -> str:
    """`unicodedata.normalize`, in linear time.

    Python sorts the marks on a letter by insertion: 80,000 marks on one letter take it 10 s. A run that long is put in
    its canonical order first, which changes nothing of the result and leaves nothing to sort.
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
    """In the form; None where that has more than `longest` characters, found before the work where there is much."""
    if len(text) > longest * LARGEST_COMPOSITION:
        return None
    normal = normalise(text, form)
    return normal if len(normal) <= longest else None


def begins_letter(character: str) -> bool:
    """Not a mark, nor a vowel or final consonant that becomes one Hangul syllable with what is before it.

    No normal form composes or reorders across the border before such a character.
    """
    return not unicodedata.category(character).startswith("M") and not "\u1160" <= character <= "\u11ff"


def _decomposed(form: Form) -> Form:
    return "NFKD" if form in ("NFKC", "NFKD") else "NFD"


def _in_canonical_order(run: str, decomposed: Form) -> str:
    taken_apart = "".join(unicodedata.normalize(decomposed, mark) for mark in run)
    return "".join(sorted(taken_apart, key=unicodedata.combining))
