"""Tags as they are typed into one field, separated by commas. Pure."""

from collections.abc import Sequence
from typing import Final

from kept.domain.item import MAX_TAG, MAX_TAGS

LONGEST: Final = MAX_TAGS * (MAX_TAG + 2)  # as long as a field can be whose tags are all allowed


def split_tags(text: str, shown: Sequence[str]) -> tuple[str, ...]:
    """`shown`: the tags that were in the field at first. One with a comma of its own, such as an imported folder called
    "Food, Drink", stays whole."""
    typed = _parts_of(text)
    if len(text) > LONGEST:
        return tuple(typed)
    with_commas = [(tag, _parts_of(tag)) for tag in shown[:MAX_TAGS] if "," in tag]
    tags: list[str] = []
    place = 0
    while place < len(typed):
        tag, length = typed[place], 1
        for known, parts in with_commas:
            if len(parts) > length and typed[place] == parts[0] and typed[place : place + len(parts)] == parts:
                tag, length = known, len(parts)
        tags.append(tag)
        place += length
    return tuple(tags)


def _parts_of(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]
