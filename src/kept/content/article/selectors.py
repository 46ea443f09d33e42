"""Places in an article as other programs tell them: the path of an element from the article's root, such as
`section/p[3]`, and how many characters of its text come before. Both ways.

One walk over the markup, which is `SafeHtml`: well nested, with four escapes, each of which is one character.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kept.content.article.safe_html import VOID_TAGS, SafeHtml
from kept.content.article.text_map import MarkupRange, TextMap
from kept.domain.highlight import Span

MAX_SELECTOR: Final = 1_000
MAX_DEPTH: Final = 100
"""Nobody reads an element nested deeper, and paths grow with the depth."""
ROOT: Final = "."
_TOKEN: Final = re.compile(r"<(/?)([a-z0-9]++)[^<>]*+>|([^<]++)")
_CHARACTER: Final = re.compile(r"&(?:lt|gt|amp|nbsp);|.", re.DOTALL)
_STEP: Final = re.compile(r"([a-z0-9]{1,20})(?:\[([1-9][0-9]{0,5})\])?")

Step = tuple[str, int]


class Selectors(NamedTuple):
    """Where a passage begins and ends; the end is the place after its last character."""

    start_selector: str
    start_offset: int
    end_selector: str
    end_offset: int


@dataclass(slots=True, eq=False)
class _Element:
    step: Step
    parent: "_Element | None"
    depth: int
    begins_at: int
    """How many characters of the article come before it."""
    target: "_Element | None" = None
    """The element that is looked for, if this is it or within it."""
    is_on_path: bool = False
    children: Counter[str] = field(default_factory=Counter)


class _TextNode(NamedTuple):
    start: int
    """In the markup."""
    source: str
    element: _Element
    begins_at: int
    characters: int


def find_span(html: SafeHtml, text_map: TextMap, selectors: Selectors) -> Span | None:
    """The characters of the canonical text between two places; None if there is no such place, or nothing there."""
    start = _find_markup(html, selectors.start_selector, selectors.start_offset, is_end=False)
    end = _find_markup(html, selectors.end_selector, selectors.end_offset, is_end=True)
    if start is None or end is None or start >= end:
        return None
    span = text_map.span_of(MarkupRange(start, end))
    return text_map.trim(span) if span else None


def find_selectors(html: SafeHtml, text_map: TextMap, spans: Sequence[Span]) -> list[Selectors | None]:
    """Of each span; None for one that has no place in the markup."""
    ranges = [_outer_range(text_map, span) for span in spans]
    places = dict(_tell_places(html, sorted({place for found in ranges if found for place in found})))
    return [_select(places, found) if found else None for found in ranges]


def _outer_range(text_map: TextMap, span: Span) -> tuple[int, int] | None:
    """Where its first character begins, and where its last one ends."""
    parts = list(text_map.markup_of(span))
    return (parts[0].start, parts[-1].end) if parts else None


def _select(places: dict[tuple[int, bool], tuple[str, int]], found: tuple[int, int]) -> Selectors | None:
    start, end = places.get((found[0], False)), places.get((found[1], True))
    return Selectors(*start, *end) if start and end else None


def _tell_places(html: SafeHtml, wanted: Sequence[int]) -> Iterator[tuple[tuple[int, bool], tuple[str, int]]]:
    """For places in the markup, each as a beginning and as an end: the path of the element and the characters before
    it. Where one text node ends and another begins, a beginning is in the second and an end in the first."""
    index = 0
    for node in _walk(html, None):
        ends = node.start + len(node.source)
        while index < len(wanted) and wanted[index] < node.start:
            index += 1
        at = index
        while at < len(wanted) and (place := wanted[at]) <= ends:
            at += 1
            path = _write_path(node.element)
            before = node.begins_at - node.element.begins_at + _count(node.source[: place - node.start])
            if path is not None and place < ends:
                yield (place, False), (path, before)
            if path is not None and place > node.start:
                yield (place, True), (path, before)


def _find_markup(html: SafeHtml, selector: str, offset: int, *, is_end: bool) -> int | None:
    steps = parse_selector(selector)
    if steps is None or offset < 0:
        return None
    for node in _walk(html, steps):
        if node.element.target is None:
            continue
        within = offset - (node.begins_at - node.element.target.begins_at)
        if 0 <= within < node.characters or (is_end and within == node.characters):
            return node.start + _position(node.source, within)
    return None


def parse_selector(text: str) -> list[Step] | None:
    """`section/p[3]`, `/section[1]/p[3]` and `./section/p[3]` are the same path; the root is no step at all."""
    if len(text) > MAX_SELECTOR:
        return None
    found = [_STEP.fullmatch(step) for step in text.strip().split("/") if step not in ("", ROOT)]
    if len(found) > MAX_DEPTH or None in found:
        return None
    return [(step[1], int(step[2] or 1)) for step in found if step]


def _write_path(element: _Element) -> str | None:
    if element.depth > MAX_DEPTH:
        return None
    steps: list[str] = []
    here: _Element | None = element
    while here is not None and here.parent is not None:
        tag, number = here.step
        steps.append(tag if number == 1 else f"{tag}[{number}]")
        here = here.parent
    return "/".join(reversed(steps)) or ROOT


def _walk(html: SafeHtml, steps: Sequence[Step] | None) -> Iterator[_TextNode]:
    """Every text node in document order; with `steps`, each element knows whether it is the one at that path."""
    here = _Element(("", 1), None, 0, 0, is_on_path=steps is not None)
    here.target = here if steps == [] else None
    characters = 0
    for token in _TOKEN.finditer(str(html)):
        closing, tag, text = token.groups()
        if text:
            number = _count(text)
            yield _TextNode(token.start(), text, here, characters, number)
            characters += number
        elif closing:
            here = here.parent or here
        else:
            here.children[tag] += 1
            if tag not in VOID_TAGS:
                here = _open(here, (tag, here.children[tag]), characters, steps or ())


def _open(parent: _Element, step: Step, begins_at: int, steps: Sequence[Step]) -> _Element:
    made = _Element(step, parent, parent.depth + 1, begins_at, parent.target)
    is_next = parent.is_on_path and parent.depth < len(steps) and steps[parent.depth] == step
    if is_next and parent.target is None:
        made.is_on_path = True
        made.target = made if made.depth == len(steps) else None
    return made


def _count(source: str) -> int:
    return len(source) if "&" not in source else sum(1 for _ in _CHARACTER.finditer(source))


def _position(source: str, characters: int) -> int:
    """Where in the source that many characters end."""
    if "&" not in source:
        return characters
    at = 0
    for _, found in zip(range(characters), _CHARACTER.finditer(source), strict=False):
        at = found.end()
    return at
