"""One-line texts for people (titles, excerpts, names) out of whatever a page wrote."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from kept.content.markup import decode_entities
from kept.content.page.decode import clean_unicode

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_ENTITY: Final = re.compile(
    r"&(?:amp|quot|apos|lt|gt|nbsp|[lr][sd]quo|[mn]dash|hellip|#\d{2,6}|#x[0-9a-f]{2,5});", re.I
)
# A character beyond ASCII: nobody writes one of these to be read as it stands.
_NUMBERED: Final = re.compile(r"&#(?:x[0-9a-f]{2,5}|[1-9][0-9]{2,5});", re.I)
# Controls, and marks that only steer how text is laid out and would make two equal titles differ.
_INVISIBLE: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff]")
_TAG: Final = re.compile(r"</?(?:b|i|em|strong|br|p|span|a)\b[^<>]{0,200}>", re.I)


def inline_text(node: "LexborNode") -> str:
    """Return the text of a paragraph or heading, without spaces around inline elements but with one for a `br`."""
    if node.css_first("br") is None:
        return node.text(separator="")
    inside = (inner for inner in node.traverse(include_text=True) if inner.is_text_node or inner.tag == "br")
    return "".join(" " if inner.tag == "br" else inner.text(deep=False) for inner in inside)


def clean_line(text: str | None) -> str:
    """Return the text on one line, with single white space and nothing invisible. Entities are not decoded again."""
    if not text:
        return ""
    if not text.isascii() or not text.isprintable():
        text = clean_unicode(_INVISIBLE.sub("", text))
    return " ".join(text.split())


def decode_line(text: str) -> str:
    """Clean a text that no parser has decoded, as in JSON-LD: many sites escape it as HTML, some with tags."""
    if "&" in text and _ENTITY.search(text):
        text = _TAG.sub("", decode_entities(text))
    return clean_line(text)


def settle_entities(line: str, others: Iterable[str]) -> str:
    """Decode a line that a parser has decoded once more if the site escaped it twice.

    It did if there are numbers of characters in it, or if the page says the same elsewhere without the escapes.
    """
    if "&" not in line or not _ENTITY.search(line):
        return line
    decoded = decode_line(line)
    says_so = any(decoded in other and line not in other for other in map(clean_line, others))
    return decoded if says_so or _NUMBERED.search(line) else line


def take_texts(nodes: "Iterable[LexborNode]", most: int) -> Iterator[str]:
    """Yield the texts of nodes, until there are `most` characters: nested nodes repeat the text inside."""
    for node in nodes:
        if most < 0:
            return
        text = node.text(separator=" ")
        most -= len(text)
        yield text


def shorten(text: str, limit: int) -> str:
    """Shorten a text to at most `limit` characters, after a word if there is one to cut after."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    last_space = cut.rfind(" ")
    # A text without spaces (Japanese, an endless word) is cut where it must be.
    return (cut[:last_space] if last_space > limit // 2 else cut).rstrip(" ,;:–—-") + "…"
