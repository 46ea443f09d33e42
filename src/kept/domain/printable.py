"""What may stand in a name or tag that people read and type."""

import unicodedata
from typing import Final

# Persian and Indian words and composed emoji are written with them.
JOINERS: Final = "\u200c\u200d"
# They spell the country in the flags of England, Scotland and Wales.
FLAG_LETTERS: Final = "".join(map(chr, range(0xE0020, 0xE0080)))
WITHOUT_JOINERS: Final = str.maketrans("", "", JOINERS + FLAG_LETTERS)


def parse_line(text: str) -> str | None:
    """One line with one space between words, without what nobody sees, such as a pasted zero-width space;
    None if nothing is left or something in it cannot be shown."""
    line = " ".join(text.split())
    if not line.isprintable():
        line = " ".join("".join(filter(_is_seen, line)).strip(JOINERS).split())
    seen = line.translate(WITHOUT_JOINERS)
    return line if seen and seen.isprintable() else None


def replace_unprintable(text: str) -> str:
    """With a space for each character that would make `parse_line` refuse the text."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() or _is_format(character) else " " for character in text)


def _is_seen(character: str) -> bool:
    return not _is_format(character) or ord(character) in WITHOUT_JOINERS


def _is_format(character: str) -> bool:
    return unicodedata.category(character) == "Cf"
