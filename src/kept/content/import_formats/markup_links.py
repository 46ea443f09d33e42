"""The links of a bookmark page in the order they stand, each with its folders: one pass over a moving window of text.

Bookmark files are HTML in name: tags are not closed, lists stand in paragraphs, the DOCTYPE may be missing. Only the
few tags that mean something are looked at, so that a page of any size takes its length in time and little memory.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TextIO

from kept.content.markup import decode_entities

CHUNK: Final = 1024 * 1024
# A bookmark may carry its icon inside, in base64; whatever is longer than this is not a tag.
LONGEST_TAG: Final = 512 * 1024
# A browser's warning not to edit the file takes 150 characters. One without an end is read as if it were not there.
LONGEST_COMMENT: Final = 8 * 1024
LONGEST_TEXT: Final = 200_000
DEEPEST: Final = 64

MEANING: Final = re.compile(r"<(/?)(a|dt|dd|dl|h[1-6]|li|ul|ol)(?=[\s/>])|<!--", re.IGNORECASE)
REST_OF_TAG: Final = re.compile(r"""(?:[^"'>]|"[^"]*"|'[^']*')*+>""")
ATTRIBUTE: Final = re.compile(r"""(?<![\w:-])([a-zA-Z_][\w:-]*+)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
ANY_TAG: Final = re.compile(r"<[^<>]*>")
# What a browser calls its own places is not a folder anybody made.
BROWSER_FOLDERS: Final = frozenset({"personal_toolbar_folder", "unfiled_bookmarks_folder"})


@dataclass(frozen=True, slots=True)
class MarkupLink:
    attributes: dict[str, str]
    text: str
    folders: tuple[str, ...]
    description: str = ""


@dataclass(slots=True)
class Place:
    """The state of the pass: the folders it is in, and what it is collecting."""

    folders: list[str | None] = field(default_factory=list)
    heading: str | None = None
    """The name of the folder whose list comes next."""
    section: str | None = None
    """The text of the last H1, for pages that have no folders."""
    link: dict[str, str] | None = None
    title: str = ""
    description: str = ""
    collecting: str = ""
    collected: list[str] = field(default_factory=list)

    def path(self) -> tuple[str, ...]:
        named = tuple(name for name in self.folders if name)
        return named or ((self.section,) if self.section else ())


def read_links(text: TextIO) -> Iterator[MarkupLink]:
    place = Place()
    for is_end, name, attributes, before in read_tags(text):
        if place.collecting:
            place.collected.append(before)
        yield from step(place, is_end=is_end, name=name, attributes=attributes)
    yield from finish_link(place)


def step(place: Place, *, is_end: bool, name: str, attributes: dict[str, str]) -> Iterator[MarkupLink]:
    end_text(place)
    if name == "a" and not is_end:
        yield from finish_link(place)
        place.link, place.collecting = attributes, "a"
    elif name == "dd" and not is_end and place.link is not None:
        place.collecting = "dd"
    elif name[0] == "h" and not is_end:
        yield from finish_link(place)
        place.collecting = name
        place.heading = "" if BROWSER_FOLDERS.intersection(attributes) else None
    elif name == "dl":
        yield from finish_link(place)
        enter_or_leave(place, is_end=is_end)
    elif name in {"dt", "li"} and not is_end:
        yield from finish_link(place)


def end_text(place: Place) -> None:
    """End the collected text: it is a title, a description, or the name of a folder."""
    if not place.collecting:
        return
    said = plain("".join(place.collected)[:LONGEST_TEXT])
    match place.collecting:
        case "a":
            place.title = said
        case "dd":
            place.description = said
        case "h1":
            place.section = said
        case _:
            place.heading = place.heading if place.heading == "" else said
    place.collecting, place.collected = "", []


def enter_or_leave(place: Place, *, is_end: bool) -> None:
    if is_end:
        del place.folders[-1:]
    elif len(place.folders) < DEEPEST:
        place.folders.append(place.heading)
        place.section = None if place.heading is None and len(place.folders) == 1 else place.section
    place.heading = None


def finish_link(place: Place) -> Iterator[MarkupLink]:
    if place.link is not None:
        yield MarkupLink(place.link, place.title, place.path(), place.description)
    place.link, place.title, place.description = None, "", ""


def plain(markup: str) -> str:
    return decode_entities(ANY_TAG.sub(" ", markup) if "<" in markup else markup).strip()


# --- tags ---------------------------------------------------------------------------------------------------------


def read_tags(text: TextIO) -> Iterator[tuple[bool, str, dict[str, str], str]]:
    """Yield each tag that means something: whether it is an end, its name, its attributes, and the text before it."""
    buffer, at, is_over = "", 0, False
    while True:
        if not is_over and len(buffer) - at < LONGEST_TAG:
            chunk = text.read(CHUNK)
            is_over, buffer, at = not chunk, buffer[at:] + chunk, 0
            continue
        match = MEANING.search(buffer, at)
        if match is None:
            if is_over:
                return
            # what is left may hold the beginning of a tag
            at = max(at, len(buffer) - LONGEST_TAG + 1)
            continue
        before = buffer[at : match.start()]
        if match[2] is None:
            at = end_of_comment(buffer, match.end())
            continue
        end = end_of_tag(buffer, match.end())
        attributes = {} if match[1] else read_attributes(buffer[match.end() : end])
        at = end
        yield bool(match[1]), match[2].lower(), attributes, before


def end_of_tag(buffer: str, start: int) -> int:
    whole = REST_OF_TAG.match(buffer, start, start + LONGEST_TAG)
    if whole is not None:
        return whole.end()
    mark = buffer.find(">", start)  # a quote that is never closed
    return len(buffer) if mark < 0 else mark + 1


def end_of_comment(buffer: str, start: int) -> int:
    end = buffer.find("-->", start, start + LONGEST_COMMENT)
    return start if end < 0 else end + 3


def read_attributes(text: str) -> dict[str, str]:
    """Read the attributes but the icon, which is most of a browser's file."""
    found: dict[str, str] = {}
    for name, double, single, bare in ATTRIBUTE.findall(text):
        if not name.lower().startswith("icon"):
            found.setdefault(name.lower(), decode_entities(double or single or bare))
    return found
