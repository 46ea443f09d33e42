"""One pass over a parsed article that writes it anew in the language of `safe_html`. For `sanitise` only.

Nothing of the source's markup is copied: each tag written is one of our own constants, each value is escaped.
The walk is a loop, not a recursion, so that depth costs no stack.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.players import find_player
from kept.content.article.rules import ATTRIBUTES, GLOBAL_ATTRIBUTES, KEPT, REMOVED, RENAMED, UNWRAPPED_BLOCKS
from kept.content.article.safe_html import LINK_GUARD, VOID_TAGS
from kept.content.article.srcset import best_candidate
from kept.content.page.bounds import MAX_DEPTH

# A link inside one of these stands as a line of its own; in running text it must not break the line.
_BLOCK_PARENTS: Final = frozenset(
    {"body", "div", "section", "article", "main", "figure", "blockquote", "li", "td", "dd"}
)


@dataclass(frozen=True, slots=True)
class UrlRules:
    """What becomes of the URLs in an article: each function gives the new value, or None to drop it."""

    base_url: str
    link: Callable[[str], str | None]
    image: Callable[[str], str | None]


@dataclass(slots=True)
class _Writer:
    urls: UrlRules
    out: list[str] = field(default_factory=list)

    def enter(self, node: LexborNode, tag: str) -> str | None:
        """Write what opens the element; the answer is what closes it, or None if its content is left out."""
        if tag in REMOVED:
            self._write_player(node, tag)
            return None
        tag = RENAMED.get(tag, tag)
        if tag not in KEPT:
            return self._unwrap(tag)
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

    def _unwrap(self, tag: str) -> str:
        edge = "\n" if tag in UNWRAPPED_BLOCKS else ""
        self.out.append(edge)
        return edge

    def _open_link(self, node: LexborNode) -> str:
        href = self.urls.link(node.attributes.get("href") or "")
        if href is None:
            return ""
        self.out.append(f'<a href="{_escape(href)}"{LINK_GUARD}{self._attributes(node, "a")}>')
        return "</a>"

    def _write_image(self, node: LexborNode) -> None:
        source = next(filter(None, map(self.urls.image, _image_sources(node))), None)
        if source is not None:
            self.out.append(f'<img src="{_escape(source)}"{self._attributes(node, "img")}>')

    def _write_player(self, node: LexborNode, tag: str) -> None:
        if tag not in ("iframe", "video"):
            return
        sources = [node.attributes.get("src"), *(child.attributes.get("src") for child in node.css("source"))]
        player = next(filter(None, (find_player(source, self.urls.base_url) for source in sources)), None)
        href = self.urls.link(player.url) if player else None
        if player is None or href is None or _is_inside_link(node):
            return
        words = " ".join((node.attributes.get("title") or "").split())[:200] or f"Watch on {player.service}"
        link = f'<a href="{_escape(href)}"{LINK_GUARD}>{_escape_text(words)}</a>'
        parent = node.parent
        self.out.append(f"<p>{link}</p>" if parent is not None and parent.tag in _BLOCK_PARENTS else link)

    def _attributes(self, node: LexborNode, tag: str) -> str:
        own = node.attributes
        if not own:
            return ""
        written = []
        for name, check in ATTRIBUTES.get(tag, ()) + GLOBAL_ATTRIBUTES:
            if name in own and (value := check(own[name] or "", self.urls.base_url)) is not None:
                written.append(f' {name}="{_escape(value)}"')
        return "".join(written)


def rewrite(html: str, rules: UrlRules) -> str | None:
    """The article in the language of `safe_html`, as this parser understands it; None if it is nested too deep."""
    # After <body> no frameset can take the body's place, and the doctype keeps browsers' old quirks out.
    body = LexborHTMLParser(f"<!doctype html><body>{html}").body
    writer = _Writer(rules)
    if body is not None and not _walk(body, writer):
        return None
    return "".join(writer.out)


def _walk(body: LexborNode, writer: _Writer) -> bool:
    """Write every node; False as soon as one is nested too deep."""
    closers: list[tuple[LexborNode, str]] = []
    node = body.first_child
    while node is not None:
        closer = _visit(node, writer)
        child = node.first_child if closer is not None else None
        if child is not None:
            closers.append((node, closer or ""))
            if len(closers) > MAX_DEPTH:
                return False
            node = child
            continue
        writer.out.append(closer or "")
        following = node.next
        while following is None and closers:
            parent, closer = closers.pop()
            writer.out.append(closer)
            following = parent.next
        node = following
    return True


def _visit(node: LexborNode, writer: _Writer) -> str | None:
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
