"""Formulas and drawings in articles: MathML that passes the sanitiser, and what stands in for drawings."""

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.safe_html import MATH_TAGS, MATH_TOKENS
from kept.content.page.text_cleaning import clean_line, shorten

# Elements of older MathML, as what Core has for them.
_RENAMED: Final = {"menclose": "mrow", "mlabeledtr": "mtr", "mfenced": "mrow", "none": "mrow", "maction": "mrow"}
# Of these only the first child is the formula; the others are the same in another notation.
_ALTERNATIVES: Final = frozenset({"semantics", "maction"})
_TEX: Final = "application/x-tex"
_MAX_DEPTH: Final = 200
_MAX_TEX: Final = 5_000
_WIDTH: Final = re.compile(r"[0-9.]{1,8}(?:em|ex|px)")
_SPAN: Final = re.compile(r"[0-9]{1,3}")


def _one_of(*allowed: str) -> Callable[[str], bool]:
    return lambda value: value in allowed


_FLAG: Final = _one_of("true", "false")
# In the order they are written.
_ATTRIBUTES: Final[dict[str, tuple[tuple[str, Callable[[str], object]], ...]]] = {
    "mi": (("mathvariant", _one_of("normal")),),
    "mo": (("stretchy", _FLAG), ("movablelimits", _FLAG), ("form", _one_of("prefix", "infix", "postfix"))),
    "mover": (("accent", _FLAG),),
    "munder": (("accentunder", _FLAG),),
    "mfrac": (("linethickness", _one_of("0")),),
    "mspace": (("width", _WIDTH.fullmatch),),
    "mstyle": (("displaystyle", _FLAG),),
    "mtd": (("columnspan", _SPAN.fullmatch), ("rowspan", _SPAN.fullmatch)),
}
# Smaller ones are icons and logos.
_LEAST_WIDTH: Final = 100.0
_LEAST_HEIGHT: Final = 60.0
_MOST_DRAWINGS: Final = 50
_MOST_LEVELS: Final = 12
_MAX_WORDS: Final = 300
_LABEL: Final = "Drawing on the original page"


class Escape(NamedTuple):
    """Formulas, written anew as MathML Core: known elements, their text, a few attributes, and nothing else inside.

    HTML inside of MathML is what parsers disagree on, so none is ever written there.

    How text is written, and how values of attributes are: parsers leave a quotation mark in text as it is.
    """

    text: Callable[[str], str]
    value: Callable[[str], str]


def write_math(math: LexborNode, escape: Escape) -> str:
    """The formula, or nothing where there is none in it or it is nested too deep."""
    inside = "".join(_write_children(math, escape, _MAX_DEPTH))
    if not inside:
        return ""
    display = ' display="block"' if _is_block(math) else ""
    tex = _find_tex(math)
    alternative = f' alttext="{escape.value(tex)}"' if tex else ""
    return f"<math{display}{alternative}>{inside}</math>"


def _is_block(math: LexborNode) -> bool:
    return "block" in (math.attributes.get("display"), math.attributes.get("mode"))


def _find_tex(math: LexborNode) -> str:
    """What the author typed, if the page says it: for those who cannot see the formula, and for plain text."""
    note = next((node for node in math.css("annotation") if node.attributes.get("encoding") == _TEX), None)
    tex = note.text() if note is not None else math.attributes.get("alttext")
    return " ".join((tex or "").split())[:_MAX_TEX]


def _write_children(node: LexborNode, escape: Escape, depth: int) -> Iterator[str]:
    if depth == 0:
        return
    for child in node.iter(include_text=True):
        yield from _write(child, escape, depth - 1)
        if node.tag in _ALTERNATIVES and child.tag != "-text":
            return


def _write(node: LexborNode, escape: Escape, depth: int) -> Iterator[str]:
    tag = _RENAMED.get(node.tag or "", node.tag or "")
    if tag == "-text":
        words = " ".join((node.text_content or "").split())
        yield f"<mtext>{escape.text(words)}</mtext>" if words else ""
    elif tag == "semantics":
        yield from _write_children(node, escape, depth)
    elif tag in MATH_TOKENS:
        yield f"<{tag}{_attributes(node, tag, escape)}>{escape.text(' '.join(node.text(deep=False).split()))}</{tag}>"
    elif tag in MATH_TAGS and tag != "math":
        yield f"<{tag}{_attributes(node, tag, escape)}>"
        yield from _fence(node, escape, depth)
        yield f"</{tag}>"


def _fence(node: LexborNode, escape: Escape, depth: int) -> Iterator[str]:
    """The children; of `mfenced` with the brackets and commas that it only names."""
    if node.tag != "mfenced":
        yield from _write_children(node, escape, depth)
        return
    own = node.attributes
    comma = escape.text((own.get("separators") or ",").strip()[:1])
    parts = ["".join(_write(child, escape, depth - 1)) for child in node.iter()] if depth else []
    yield f"<mo>{escape.text((own.get('open') or '(')[:4])}</mo>"
    yield f"<mo>{comma}</mo>".join(filter(None, parts))
    yield f"<mo>{escape.text((own.get('close') or ')')[:4])}</mo>"


def _attributes(node: LexborNode, tag: str, escape: Escape) -> str:
    own = node.attributes
    return "".join(
        f' {name}="{escape.value(own[name] or "")}"'
        for name, allows in _ATTRIBUTES.get(tag, ())
        if name in own and allows(own[name] or "")
    )


def name_drawings(tree: LexborHTMLParser, url: str) -> None:
    """Drawings that a page writes as inline SVG: a line with their words and a link to the page takes their place.
    Pure.

    `url`: where the page is; without it nothing is linked to.
    """
    for svg in [svg for svg in tree.css("svg") if is_drawing(svg)][:_MOST_DRAWINGS]:
        words = read_words(svg)
        label = f'<a href="{escape(url)}">{_LABEL}</a>' if url else _LABEL
        svg.insert_before(parse(f"<p>{label}{': ' + escape(words) if words else ''}</p>"))


def parse(html: str) -> LexborNode:
    node = LexborHTMLParser(html).css_first("p")
    assert node is not None
    return node


def is_drawing(svg: LexborNode) -> bool:
    """Large, not merely decoration, and either named or in a figure."""
    if svg.attributes.get("aria-hidden") == "true" or not is_large(svg):
        return False
    above = list_parents(svg)
    if any(tag in {"svg", "a", "button", "nav", "footer"} for tag in above):
        return False
    return "figure" in above or bool(read_words(svg))


def list_parents(node: LexborNode) -> list[str]:
    found: list[str] = []
    parent = node.parent
    while parent is not None and len(found) < _MOST_LEVELS:
        found.append(parent.tag or "")
        parent = parent.parent
    return found


def is_large(svg: LexborNode) -> bool:
    box = (svg.attributes.get("viewbox") or svg.attributes.get("viewBox") or "")[:100].replace(",", " ").split()
    width, height = svg.attributes.get("width"), svg.attributes.get("height")
    if (width is None or "%" in width) and len(box) == 4:
        width, height = box[2], box[3]
    return read_pixels(width) >= _LEAST_WIDTH and read_pixels(height) >= _LEAST_HEIGHT


def read_pixels(text: str | None) -> float:
    try:
        return float((text or "0")[:20].removesuffix("px"))
    except ValueError:
        return 0.0


def read_words(svg: LexborNode) -> str:
    """What the drawing says that it shows."""
    named = svg.attributes.get("aria-label") or ""
    for child in svg.iter():
        if child.tag in {"title", "desc"}:
            named = named or child.text()
    return shorten(clean_line(named[: 2 * _MAX_WORDS]), _MAX_WORDS)
