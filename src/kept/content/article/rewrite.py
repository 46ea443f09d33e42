"""One pass over a parsed article that writes it anew in the language of `safe_html`. For `sanitise` only.

Nothing of the source's markup is copied: each tag written is one of our own constants, each value is escaped.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.image_sources import best_candidate
from kept.content.article.math import Escape, write_math
from kept.content.article.players import find_player
from kept.content.article.safe_html import INLINE, KEPT_TAGS, LINK_GUARD, VOID_TAGS
from kept.content.markup import tags, walk
from kept.content.page.links import resolve_http

# A link inside one of these stands as a line of its own; in running text it must not break the line.
_BLOCK_PARENTS: Final = frozenset(
    {"body", "div", "section", "article", "main", "figure", "blockquote", "li", "td", "dd"}
)
# What a file of the page itself is called; players of other sites are known by their service.
FILES: Final = {"audio": "Listen to the recording", "video": "Watch the video"}
PLAYED: Final = frozenset({"iframe", *FILES})
# What does not end a line of text.
_IN_LINE: Final = tags(
    "a q cite code kbd samp var em strong b i u s del ins mark sub sup small abbr time img ruby rb rt bdi bdo "
    "span font big tt picture label"
)
# How far from an image to look for words of its line.
_MOST_LEVELS: Final = 4
_MOST_NEIGHBOURS: Final = 4
# What becomes of each element and attribute of an article, as tables. For `rewrite` only.
KEPT: Final = KEPT_TAGS
RENAMED: Final = {"article": "div"}
# noembed, noframes and their kind are noscript's relatives: markup for browsers that lack something.
REMOVED: Final = tags(
    "script style template iframe frame frameset object embed applet param svg noscript noembed "
    "noframes link meta base title head canvas audio video source track "
    # form controls; the form itself, its labels and field sets are only unwrapped: some sites put all of a
    # page in one
    "input button select textarea option optgroup datalist output progress meter keygen"
)
# Elements we unwrap that browsers show as blocks: a line break takes each one's place, or their words would
# run together.
UNWRAPPED_BLOCKS: Final = tags(
    "address aside center dialog dir fieldset footer form header hgroup legend listing main marquee menu nav "
    "plaintext search xmp body html"
)
Check = Callable[[str, str], str | None]
_LANG: Final = re.compile(r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8}){0,5}", re.ASCII)
_DIGITS: Final = re.compile(r"\s*\+?(\d{1,9})", re.ASCII)
_INTEGER: Final = re.compile(r"\s*(-?\d{1,9})\s*\Z", re.ASCII)
# Alternative texts beyond this are data, not words for a reader.
_MAX_TEXT: Final = 2000
# What browsers show at most; a table of a million columns is an attack on the reader's layout.
_MAX_SPAN: Final = 1000
_MAX_PIXELS: Final = 20_000


def _language(value: str, _base: str) -> str | None:
    return value.strip() if _LANG.fullmatch(value.strip()) else None


def _one_of(*allowed: str) -> Check:
    return lambda value, _base: value.strip().lower() if value.strip().lower() in allowed else None


GLOBAL_ATTRIBUTES: Final[tuple[tuple[str, Check], ...]] = (
    ("lang", _language),
    ("dir", _one_of("ltr", "rtl", "auto")),
)
_CITE: Final = ("cite", resolve_http)


def _moment(value: str, _base: str) -> str | None:
    return value.strip() if 0 < len(value.strip()) <= 64 and value.isprintable() else None


_DATETIME: Final = ("datetime", _moment)


def _span(value: str, _base: str) -> str | None:
    match = _DIGITS.match(value)
    return str(int(match[1])) if match and 1 < int(match[1]) <= _MAX_SPAN else None


_CELL: Final = (
    ("colspan", _span),
    ("rowspan", _span),
    ("scope", _one_of("row", "col", "rowgroup", "colgroup")),
)


def _flag(_value: str, _base: str) -> str | None:
    return ""


def _integer(value: str, _base: str) -> str | None:
    match = _INTEGER.match(value)
    return str(int(match[1])) if match else None


def _pixels(value: str, _base: str) -> str | None:
    # "100%" begins with digits too, and would be a stamp-sized image.
    found = None if "%" in value else _DIGITS.match(value)
    return str(int(found[1])) if found and 0 < int(found[1]) <= _MAX_PIXELS else None


def _text(value: str, _base: str) -> str | None:
    return value.replace("\r", " ")[:_MAX_TEXT]


# In the order they are written; `href` and `src` are not here, for what happens to them depends on the
# article.
ATTRIBUTES: Final[dict[str, tuple[tuple[str, Check], ...]]] = {
    "img": (("alt", _text), ("title", _text), ("width", _pixels), ("height", _pixels)),
    "th": _CELL,
    "td": _CELL,
    "ol": (("start", _integer), ("reversed", _flag)),
    "li": (("value", _integer),),
    "time": (_DATETIME,),
    "del": (_CITE, _DATETIME),
    "ins": (_CITE, _DATETIME),
    "blockquote": (_CITE,),
    "q": (_CITE,),
    "abbr": (("title", _text),),
}


@dataclass(frozen=True, slots=True)
class UrlRules:
    """What becomes of the URLs and ids in an article: each function gives the new value, or None to drop it."""

    base_url: str
    link: Callable[[str], str | None]
    image: Callable[[str], str | None]
    place: Callable[[str], str | None]
    """The id, as it will be written, that a link leads to, if it is one within this page."""
    write_place: Callable[[str], str]
    """An element's id as it is written."""
    is_inline: Callable[[LexborNode], bool]
    """Whether an image stands in a line of text."""


@dataclass(slots=True)
class _Writer:
    urls: UrlRules
    places: set[str]
    """Ids that links of this article lead to and that are not written yet."""
    linked: frozenset[str]
    """All of them."""
    out: list[str] = field(default_factory=list)

    def enter(self, node: LexborNode, tag: str) -> str | None:
        """Write what opens the element; the answer is what closes it, or None if its content is left out."""
        if tag in REMOVED:
            self._write_player(node, tag)
            return None
        if tag == "math":
            self.out.append(write_math(node, Escape(_escape_text, _escape)))
            return None
        tag = RENAMED.get(tag, tag)
        if tag not in KEPT:
            return self._unwrap(node, tag)
        if tag == "a":
            return self._open_link(node)
        if tag == "img":
            self._write_image(node)
            return ""
        self.out.append(f"<{tag}{self._attributes(node, tag)}>")
        return "" if tag in VOID_TAGS else f"</{tag}>"

    def text(self, text: str, *, begins_pre: bool) -> None:
        # A parser drops the first newline of a <pre>; kept here, the next parser would drop it and change
        # the text.
        self.out.append(_escape_text(text.lstrip("\n") if begins_pre else text))

    def _unwrap(self, node: LexborNode, tag: str) -> str:
        edge = "\n" if tag in UNWRAPPED_BLOCKS else ""
        self.out.append(edge)
        if self.places and not self.places.isdisjoint(_ids(node, self.urls)) and not _is_inside_link(node):
            self.out.append(f"<a{self._id(node)}></a>")
        return edge

    def _open_link(self, node: LexborNode) -> str:
        href = node.attributes.get("href") or ""
        place = self.urls.place(href)
        if place in self.linked:
            self.out.append(f'<a href="#{place}"{self._attributes(node, "a")}>')
            return "</a>"
        url = self.urls.link(href)
        if url is None:
            return self._unwrap(node, "a")
        self.out.append(f'<a href="{_escape(url)}"{LINK_GUARD}{self._attributes(node, "a")}>')
        return "</a>"

    def _write_image(self, node: LexborNode) -> None:
        source = next(filter(None, map(self.urls.image, _image_sources(node))), None)
        if source is not None:
            inline = f' class="{INLINE}"' if self.urls.is_inline(node) else ""
            own, common = self._own_attributes(node, "img"), self._common_attributes(node)
            self.out.append(f'<img src="{_escape(source)}"{own}{inline}{common}>')

    def _write_player(self, node: LexborNode, tag: str) -> None:
        """What plays on the page becomes a link to it."""
        found = self._find_recording(node, tag) if tag in PLAYED else None
        if found is None or _is_inside_link(node):
            return
        href, words = found
        named = node.attributes.get("title") or node.attributes.get("aria-label") or ""
        words = " ".join(named.split())[:200] or words
        link = f'<a href="{_escape(href)}"{LINK_GUARD}>{_escape_text(words)}</a>'
        parent = node.parent
        self.out.append(f"<p>{link}</p>" if parent is not None and parent.tag in _BLOCK_PARENTS else link)

    def _find_recording(self, node: LexborNode, tag: str) -> tuple[str, str] | None:
        """Where it can be seen or heard, and what to call it: a service we know, else a file of the page."""
        sources = [node.attributes.get("src"), *(child.attributes.get("src") for child in node.css("source"))]
        player = next(filter(None, (find_player(source, self.urls.base_url) for source in sources)), None)
        if player is not None:
            href = self.urls.link(player.url)
            return (href, f"Watch on {player.service}") if href else None
        files = (self.urls.link(source) for source in sources if source) if tag in FILES else iter(())
        href = next((url for url in files if url and url.startswith("http")), None)
        return (href, FILES[tag]) if href else None

    def _attributes(self, node: LexborNode, tag: str) -> str:
        return self._own_attributes(node, tag) + self._common_attributes(node) if node.attributes else ""

    def _own_attributes(self, node: LexborNode, tag: str) -> str:
        return self._checked(node, ATTRIBUTES.get(tag, ()))

    def _common_attributes(self, node: LexborNode) -> str:
        return self._checked(node, GLOBAL_ATTRIBUTES) + self._id(node)

    def _checked(self, node: LexborNode, rules: tuple[tuple[str, Check], ...]) -> str:
        own = node.attributes
        written = []
        for name, check in rules:
            if name in own and (value := check(own[name] or "", self.urls.base_url)) is not None:
                written.append(f' {name}="{_escape(value)}"')
        return "".join(written)

    def _id(self, node: LexborNode) -> str:
        """Only what a link of the article leads to, and only the first of that name."""
        names = _ids(node, self.urls) if self.places else []
        name = next((name for name in names if name in self.places), None)
        if name is None:
            return ""
        self.places.discard(name)
        return f' id="{name}"'


def rewrite(html: str, rules: UrlRules) -> str | None:
    """The article in the language of `safe_html`, as this parser understands it; None if it is nested too deep."""
    # After <body> no frameset can take the body's place, and the doctype keeps browsers' old quirks out.
    body = LexborHTMLParser(f"<!doctype html><body>{html}").body
    if body is None:
        return ""
    linked = _find_places(body, rules)
    writer = _Writer(rules, set(linked), linked)
    is_whole = walk(body.first_child, partial(_visit, writer), writer.out)
    return "".join(writer.out) if is_whole else None


def _find_places(body: LexborNode, rules: UrlRules) -> frozenset[str]:
    """The ids that a link of this article leads to and that are in it: footnotes, headings of a table of contents."""
    wanted = {rules.place(node.attributes.get("href") or "") for node in body.css('a[href*="#"]')} - {None}
    if not wanted:
        return frozenset()
    found = {name for node in body.css("[id], a[name]") for name in _ids(node, rules)}
    return frozenset(name for name in wanted if name in found and name is not None)


def _ids(node: LexborNode, rules: UrlRules) -> list[str]:
    own = node.attributes
    names = [own.get("id"), own.get("name") if node.tag == "a" else None]
    return [rules.write_place(name) for name in names if name]


def _visit(writer: _Writer, node: LexborNode) -> str | None:
    tag = node.tag
    if tag == "-text":
        parent = node.parent
        begins_pre = node.prev is None and parent is not None and parent.tag == "pre"
        writer.text(node.text_content or "", begins_pre=begins_pre)
        return None
    if tag is None or tag.startswith("-"):
        return None
    return writer.enter(node, tag)


def _image_sources(node: LexborNode) -> list[str]:
    """Where the image may be had, best first: `srcset` is only asked when `src` is of no use."""
    sources = [node.attributes.get("src"), best_candidate(node.attributes.get("srcset"))]
    parent = node.parent
    if parent is not None and parent.tag == "picture":
        sources += [best_candidate(source.attributes.get("srcset")) for source in parent.css("source")]
    return [source for source in sources if source]


def stands_in_a_line(image: LexborNode) -> bool:
    """Words stand before or after the image in its line."""
    node = image
    for _ in range(_MOST_LEVELS):
        if _finds_words(node, "prev") or _finds_words(node, "next"):
            return True
        parent = node.parent
        if parent is None or parent.tag not in _IN_LINE:
            return False
        node = parent
    return False


def _finds_words(node: LexborNode, direction: Literal["prev", "next"]) -> bool:
    neighbour: LexborNode | None = getattr(node, direction)
    for _ in range(_MOST_NEIGHBOURS):
        if neighbour is None or (neighbour.tag != "-text" and neighbour.tag not in _IN_LINE):
            return False
        if neighbour.text().strip():
            return True
        neighbour = getattr(neighbour, direction)
    return False


def _is_inside_link(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag == "a":
            return True
        parent = parent.parent
    return False


def _escape_text(text: str) -> str:
    """Escape as nh3 does, to the letter: what it would write otherwise would not settle."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\xa0", "&nbsp;").replace("\r", " ")


def _escape(value: str) -> str:
    return _escape_text(value).replace('"', "&quot;")
