"""Ids as Readeck has them, letters and digits, made from Kept's own and back: an item keeps its for ever. Pure."""

from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final
from uuid import UUID

from kept.domain.errors import NotFound

ALPHABET: Final = digits + ascii_uppercase + ascii_lowercase
VALUES: Final = {letter: value for value, letter in enumerate(ALPHABET)}
LENGTH: Final = 22  # of 62 letters, so many are needed for 128 bits


def write_id(key: UUID) -> str:
    number, letters = key.int, []
    for _ in range(LENGTH):
        number, rest = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[rest])
    return "".join(reversed(letters))


def find_id(text: str) -> UUID | None:
    """None for what can be no id."""
    if len(text) != LENGTH or not VALUES.keys() >= set(text):
        return None
    number = 0
    for letter in text:
        number = number * len(ALPHABET) + VALUES[letter]
    return UUID(int=number) if number < 2**128 else None


def parse_id(text: str) -> UUID:
    key = find_id(text)
    if key is None:
        raise NotFound
    return key
