"""How deep a document nests, and how much formatting it reopens, told in linear time. For `bounds` only.

A walk over the tags that follows the standard's tree construction as far as depth goes: which tags close
which, what opens again in the next block, where markup is only text. It builds nothing and stops at the
first excess.
"""

import re
from dataclasses import dataclass
from typing import Final

from kept.content.article.tag_names import tags

_VALUE: Final = r"""(?:"[^"]*+"?|'[^']*+'?|[^\s>]*+)"""
_ATTRIBUTE: Final = re.compile(rf"[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+{_VALUE})?")
_TAG_NAME: Final = re.compile(r"</?[a-zA-Z][^\s/>]*+")
_ATTRIBUTES: Final = rf"(?:{_ATTRIBUTE.pattern})*+"
_TOKEN: Final = re.compile(
    rf"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?:[!?]|/[^a-zA-Z])[^>]*+|<(/?)([a-zA-Z][^\s/>]*+)({_ATTRIBUTES})([\s/]*+)>?",
    re.DOTALL,
)


_VOID: Final = tags("area base br col embed frame hr img input link meta param source track wbr keygen")
_RAW: Final = tags("script style textarea title xmp iframe noembed noframes")
_FORMATTING: Final = tags("a b big code em font i nobr s small strike strong tt u")
_MARKERS: Final = tags("td th caption object applet marquee template")
_SCOPE: Final = _MARKERS | {"table"}
_TABLE_PARTS: Final = tags("caption colgroup tbody thead tfoot tr td th")
_CLOSES_P: Final = tags(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer "
    "header hgroup main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form table hr "
    "xmp plaintext li dd dt"
)
_SPECIAL: Final = _CLOSES_P | _SCOPE | _TABLE_PARTS | tags("body head html button select body frameset noscript")
# Each of these ends an open one of the second set, unless something of the third stands between.
_SIBLINGS: Final = {
    "li": (frozenset({"li"}), _SPECIAL - tags("address div p")),
    **dict.fromkeys(("dd", "dt"), (tags("dd dt"), _SPECIAL - tags("address div p"))),
    **dict.fromkeys(("td", "th"), (tags("td th caption"), tags("table template"))),
    "tr": (tags("tr caption"), tags("table template")),
    **dict.fromkeys(("tbody", "thead", "tfoot"), (tags("tbody thead tfoot caption"), tags("table template"))),
    **dict.fromkeys(("option", "optgroup"), (tags("option"), _SPECIAL)),
    **dict.fromkeys(("rb", "rt", "rtc", "rp"), (tags("rb rt rp"), _SPECIAL | {"ruby"})),
}
_FOREIGN: Final = tags("svg math")
_FOREIGN_EDGES: Final = _FOREIGN | tags("title desc foreignobject annotation-xml mi mo mn ms mtext")
_BREAKS_OUT: Final = (
    _CLOSES_P
    | tags("b big body br code em embed head hr i img li meta nobr ruby s small span")
    | (tags("strong strike sub sup table tt u var"))
)


@dataclass(slots=True)
class _Formatting:
    """One entry of the standard's list of active formatting elements."""

    tag: str
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class Nesting:
    """The deepest nesting and the number of reopened elements, both up to where the walk stopped."""

    depth: int
    reopened: int


def measure_nesting(html: str, *, max_depth: int, max_reopened: int) -> Nesting:
    """Walk the document, no further than the first tag beyond either maximum."""
    walk = _Walk()
    position, deepest = 0, 0
    while (token := _TOKEN.search(html, position)) is not None:
        if token.start() > position:
            walk.reopen()  # text does that
        position = token.end()
        closing, name, attributes, slash = token.groups()
        if name is not None:
            tag = name.lower()
            if not closing and tag in _RAW and not walk.is_foreign():
                position = _end_of_raw_text(html, tag, position)
            walk.close(tag) if closing else walk.open(tag, f"{tag} {attributes}", closed="/" in slash)
        deepest = max(deepest, len(walk.stack))
        if deepest > max_depth or walk.reopened > max_reopened:
            break
    return Nesting(deepest, walk.reopened)


def find_crowded_tag(html: str, *, max_attributes: int) -> int | None:
    """Where the first tag with more attributes than that begins; a script's text does not count."""
    position = 0
    while (token := _TOKEN.search(html, position)) is not None:
        position = token.end()
        closing, name, attributes, _ = token.groups()
        is_long = name is not None and len(attributes) > 2 * max_attributes
        if is_long and is_crowded_tag(html, token.start(), max_attributes=max_attributes):
            return token.start()
        if name is not None and not closing and name.lower() in _RAW:
            position = _end_of_raw_text(html, name.lower(), position)
    return None


def is_crowded_tag(html: str, start: int, *, max_attributes: int) -> bool:
    """Whether the tag that begins there, if one does, has more attributes than that."""
    name = _TAG_NAME.match(html, start)
    attribute: re.Match[str] | None = name
    for _ in range(max_attributes + 1):
        if attribute is None:
            return False
        attribute = _ATTRIBUTE.match(html, attribute.end())
    return attribute is not None


_RAW_ENDS: Final = {tag: re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE) for tag in _RAW}


def _end_of_raw_text(html: str, tag: str, position: int) -> int:
    end = _RAW_ENDS[tag].search(html, position)
    return end.start() if end else len(html)


class _Walk:
    """The stack of open elements and the list of active formatting elements."""

    def __init__(self) -> None:
        self.stack: list[tuple[str, _Formatting | None]] = []
        self.counts: dict[str, int] = {}
        self.active: list[_Formatting | None] = []
        self.waiting = 0
        self.reopened = 0

    def is_foreign(self) -> bool:
        """Whether we are in a drawing or a formula, and not in one of its parts that hold HTML again."""
        if not self.counts.get("svg") and not self.counts.get("math"):
            return False
        return next((tag in _FOREIGN for tag, _ in reversed(self.stack) if tag in _FOREIGN_EDGES), False)

    def open(self, tag: str, text: str, *, closed: bool) -> None:
        if self.is_foreign():
            if tag not in _BREAKS_OUT:
                if not closed:
                    self._push(tag, None)
                return
            self._leave_foreign()
        self._close_what_ends_before(tag)
        if tag in _TABLE_PARTS and not self.counts.get("table"):
            return
        if tag not in _SPECIAL:
            self.reopen()
        if tag in _VOID or (closed and tag in _FOREIGN):
            return
        self._push(tag, self._activate(tag, text) if tag in _FORMATTING else None)
        if tag in _MARKERS:
            self.active.append(None)

    def close(self, tag: str) -> None:
        if not self.counts.get(tag):
            return
        if tag in _FORMATTING:
            self._drop_formatting(tag)
        elif self.is_foreign():
            self._pop_to({tag}, frozenset())
        elif tag in _TABLE_PARTS or tag == "table":
            self._pop_to({tag}, frozenset() if tag == "table" else frozenset({"table"}))
        else:
            self._pop_to({tag}, _SCOPE if tag in _SPECIAL else _SPECIAL)

    def _close_what_ends_before(self, tag: str) -> None:
        if tag in _CLOSES_P and self.counts.get("p"):
            self._pop_to({"p"}, _SCOPE | {"button"})
        if tag in _SIBLINGS:
            ended, barriers = _SIBLINGS[tag]
            self._pop_to(ended, barriers - ended)
        if tag in ("a", "nobr") and self.counts.get(tag):
            self._drop_formatting(tag)

    def _push(self, tag: str, entry: _Formatting | None) -> None:
        self.stack.append((tag, entry))
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def _pop_to(self, ended: frozenset[str] | set[str], barriers: frozenset[str]) -> None:
        for index in range(len(self.stack) - 1, -1, -1):
            if self.stack[index][0] in ended:
                for _ in range(len(self.stack) - index):
                    self._pop()
                return
            if self.stack[index][0] in barriers:
                return

    def _pop(self) -> None:
        tag, entry = self.stack.pop()
        self.counts[tag] -= 1
        if entry is not None:
            entry.is_open = False
            self.waiting += 1
        if tag in _MARKERS:
            self._clear_to_marker()

    def _leave_foreign(self) -> None:
        while self.is_foreign():
            self._pop()

    def _activate(self, tag: str, text: str) -> _Formatting:
        entry = _Formatting(text)
        same = [index for index in self._since_marker() if self._tag_at(index) == text]
        if len(same) >= 3:  # the standard's "Noah's Ark clause"; without it, unclosed <b> would pile up
            self._forget(same[-1])
        self.active.append(entry)
        return entry

    def _tag_at(self, index: int) -> str:
        entry = self.active[index]
        return entry.tag if entry else ""

    def _since_marker(self) -> range:
        """Indices of the entries after the last marker, last first."""
        start = len(self.active) - 1
        stop = start
        while stop >= 0 and self.active[stop] is not None:
            stop -= 1
        return range(start, stop, -1)

    def _forget(self, index: int) -> None:
        entry = self.active.pop(index)
        if entry is not None and not entry.is_open:
            self.waiting -= 1

    def _clear_to_marker(self) -> None:
        while self.active and self.active[-1] is not None:
            self._forget(len(self.active) - 1)
        if self.active:
            self.active.pop()

    def reopen(self) -> None:
        """Open again what formatting a block's end has closed, as text and inline elements do."""
        if not self.waiting:
            return
        closed = []
        for index in self._since_marker():
            entry = self.active[index]
            if entry is None or entry.is_open:
                break
            closed.append(entry)
        for entry in reversed(closed):
            entry.is_open = True
            self._push(entry.tag.partition(" ")[0], entry)
        self.waiting -= len(closed)
        self.reopened += len(closed)

    def _drop_formatting(self, tag: str) -> None:
        """Close the nearest one wherever it stands; blocks inside it stay open, as they do for real."""
        for index in range(len(self.stack) - 1, -1, -1):
            name, entry = self.stack[index]
            if name == tag:
                del self.stack[index]
                self.counts[tag] -= 1
                if entry is not None and entry in self.active:
                    self.active.remove(entry)
                return
