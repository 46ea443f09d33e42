"""What the references in a book's files mean, and how its XML is read."""

import posixpath
import re
from typing import Final
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.tag_names import tags
from kept.content.page.bounds import find_excess
from kept.content.page.decode import clean_unicode, decode_html

# Elements that HTML closes by itself.
_VOID: Final = tags("area base br col embed hr img input link meta param source track wbr")
_SELF_CLOSING: Final = re.compile(r"<([a-zA-Z][a-zA-Z0-9:_.-]{0,60}+)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)(?<=/)>")
_PREFIX: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9_-]{0,30}+):(?=[a-zA-Z])")
_DECLARATION: Final = re.compile(r"<\?[^<>]{0,1000}\?>")
_CDATA: Final = re.compile(r"<!\[CDATA\[([^<>]*+)\]\]>")


def resolve_name(reference: str, base: str) -> str:
    """The name in the zip that a reference in the file `base` means; one that leads out of the zip names nothing."""
    path = unquote(reference.partition("#")[0].partition("?")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path)).lstrip("/") if path else base


def read_markup(data: bytes, *, is_xhtml: bool = False) -> str:
    """XML for an HTML parser: elements that close themselves are closed, and names have no prefixes but `dc-`."""
    text = clean_unicode(decode_html(data, "text/xml").text)
    text = _SELF_CLOSING.sub(_close, _CDATA.sub(r"\1", _DECLARATION.sub("", text)))
    return text if is_xhtml else _PREFIX.sub(_rename, text)


def parse_xml(data: bytes) -> LexborNode | None:
    """The body of what an HTML parser makes of it; None where it cannot be parsed within bounds."""
    markup = read_markup(data)
    return None if find_excess(markup) is not None else LexborHTMLParser(f"<!doctype html><body>{markup}").body


def _close(found: "re.Match[str]") -> str:
    name, rest = found.groups()
    return found[0] if name.lower() in _VOID else f"<{name}{rest[:-1]}></{name}>"


def _rename(found: "re.Match[str]") -> str:
    return f"<{found[1]}{'dc-' if found[2].lower() == 'dc' else ''}"
