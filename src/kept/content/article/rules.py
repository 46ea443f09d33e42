"""What becomes of each element and attribute of an article, as tables. For `rewrite` only."""

import re
from collections.abc import Callable
from typing import Final

from kept.content.article.safe_html import KEPT_TAGS
from kept.content.article.tag_names import tags
from kept.content.page.links import resolve_http

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


def _text(value: str, _base: str) -> str | None:
    return value.replace("\r", " ")[:_MAX_TEXT]


def _moment(value: str, _base: str) -> str | None:
    return value.strip() if 0 < len(value.strip()) <= 64 and value.isprintable() else None


def _pixels(value: str, _base: str) -> str | None:
    # "100%" begins with digits too, and would be a stamp-sized image.
    found = None if "%" in value else _DIGITS.match(value)
    return str(int(found[1])) if found and 0 < int(found[1]) <= _MAX_PIXELS else None


def _span(value: str, _base: str) -> str | None:
    found = _DIGITS.match(value)
    return str(int(found[1])) if found and 1 < int(found[1]) <= _MAX_SPAN else None


def _integer(value: str, _base: str) -> str | None:
    found = _INTEGER.match(value)
    return str(int(found[1])) if found else None


def _flag(_value: str, _base: str) -> str | None:
    return ""


def _one_of(*allowed: str) -> Check:
    return lambda value, _base: value.strip().lower() if value.strip().lower() in allowed else None


def _language(value: str, _base: str) -> str | None:
    return value.strip() if _LANG.fullmatch(value.strip()) else None


GLOBAL_ATTRIBUTES: Final[tuple[tuple[str, Check], ...]] = (
    ("lang", _language),
    ("dir", _one_of("ltr", "rtl", "auto")),
)
_CITE: Final = ("cite", resolve_http)
_DATETIME: Final = ("datetime", _moment)
_CELL: Final = (
    ("colspan", _span),
    ("rowspan", _span),
    ("scope", _one_of("row", "col", "rowgroup", "colgroup")),
)
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
