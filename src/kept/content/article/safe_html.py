"""`SafeHtml`: markup that may stand in a page unescaped, and the closed language it is written in.

`sanitise` writes this language and nothing else; whoever reads a stored article back (`SafeHtml.admit`) has
it checked against the same language, so that not even a tampered database can put a script into a page.
The marks of a reader's highlights are no part of it: `marking` writes them into what is about to be shown, as
`presenting` writes the places of headings, the links of images and which cells of tables are long.
"""

import re
from typing import Final, final

from kept.content.markup import tags
from kept.domain.highlight import Colour

VOID_TAGS: Final = frozenset({"br", "hr", "img", "col"})
KEPT_TAGS: Final = tags(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote q cite pre code kbd samp var em strong b i u s del ins "
    "mark sub sup small abbr time br hr a img figure figcaption table caption colgroup col thead tbody tfoot "
    "tr th td ruby rb rt rtc rp details summary bdi bdo div section"
)
# MathML Core; written by `mathml` alone, with nothing but these inside.
MATH_TOKENS: Final = tags("mi mn mo ms mtext")
MATH_TAGS: Final = MATH_TOKENS | tags(
    "math mrow mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover munderover "
    "mmultiscripts mprescripts mspace mtable mtr mtd"
)
# What every link that leaves the article carries, in the one order we write it.
LINK_GUARD: Final = ' target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer"'

# The class of an image that stands in a line of text.
INLINE: Final = "inline"

_UUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_VALUE: Final = r'[^"<>]*+'
_HTTP: Final = rf"https?://{_VALUE}"
# Attributes in the one order they are written in; each may be absent unless it is what the element is for.
# Where a link within the article leads. The prefix keeps it from being taken for an id of the page around it.
PLACE_PREFIX: Final = "k-"
PLACE: Final = rf"{PLACE_PREFIX}[A-Za-z0-9_.-]{{1,200}}"
# Where the list of contents leads.
SECTION_PREFIX: Final = "s-"
_LANGUAGE_AND_DIRECTION: Final = r'(?: lang="[a-zA-Z0-9-]++")?(?: dir="(?:ltr|rtl|auto)")?'
_GLOBAL: Final = rf'{_LANGUAGE_AND_DIRECTION}(?: id="{PLACE}")?'
_CITE: Final = rf'(?: cite="{_HTTP}")?'
_DATETIME: Final = rf'(?: datetime="{_VALUE}")?'
_SIZE: Final = r'(?: width="\d++")?(?: height="\d++")?'
_SPANS: Final = r'(?: colspan="\d++")?(?: rowspan="\d++")?(?: scope="(?:row|col|rowgroup|colgroup)")?'
_ATTRIBUTES: Final = {
    "a": rf'(?: href="(?:https?://|mailto:){_VALUE}"{re.escape(LINK_GUARD)}| href="#{PLACE}")?',
    "img": rf' src="/api/images/{_UUID}"(?: alt="{_VALUE}")?(?: title="{_VALUE}")?{_SIZE}(?: class="{INLINE}")?',
    "th": _SPANS,
    "td": _SPANS,
    "ol": r'(?: start="-?\d++")?(?: reversed="")?',
    "li": r'(?: value="-?\d++")?',
    "time": _DATETIME,
    "del": _CITE + _DATETIME,
    "ins": _CITE + _DATETIME,
    "blockquote": _CITE,
    "q": _CITE,
    "abbr": rf'(?: title="{_VALUE}")?',
}
_BOOLEAN: Final = "(?:true|false)"
# Of MathML: those that change what a formula means or how it is laid out.
_MATH_ATTRIBUTES: Final = {
    "math": rf'(?: display="(?:block|inline)")?(?: alttext="{_VALUE}")?',
    "mi": r'(?: mathvariant="normal")?',
    "mo": rf'(?: stretchy="{_BOOLEAN}")?(?: movablelimits="{_BOOLEAN}")?(?: form="(?:prefix|infix|postfix)")?',
    "mover": rf'(?: accent="{_BOOLEAN}")?',
    "munder": rf'(?: accentunder="{_BOOLEAN}")?',
    "mfrac": r'(?: linethickness="0")?',
    "mspace": r'(?: width="[0-9.]{1,8}(?:em|ex|px)")?',
    "mstyle": rf'(?: displaystyle="{_BOOLEAN}")?',
    "mtd": r'(?: columnspan="\d{1,3}")?(?: rowspan="\d{1,3}")?',
}
_PLAIN_MATH: Final = "|".join(sorted(MATH_TAGS - _MATH_ATTRIBUTES.keys()))
_PLAIN: Final = "|".join(sorted(KEPT_TAGS - _ATTRIBUTES.keys()))
_OPEN_TAG: Final = "|".join(
    [
        rf"(?:{_PLAIN}){_GLOBAL}",
        *(rf"{tag}{own}{_GLOBAL}" for tag, own in _ATTRIBUTES.items()),
        rf"(?:{_PLAIN_MATH})",
        *(tag + own for tag, own in _MATH_ATTRIBUTES.items()),
    ]
)
_CLOSE_TAG: Final = "|".join(sorted((KEPT_TAGS | MATH_TAGS) - VOID_TAGS))
_LANGUAGE: Final = re.compile(rf"(?:[^<]++|<(?:{_OPEN_TAG})>|</(?:{_CLOSE_TAG})>)*+", re.ASCII)
_HIGHLIGHT: Final = (
    rf'mark(?: id="h-{_UUID}")? data-highlight="{_UUID}" class="h-(?:{"|".join(Colour)})"(?: data-note="")?'
)
_MARKED_LANGUAGE: Final = re.compile(rf"(?:[^<]++|<(?:{_HIGHLIGHT}|{_OPEN_TAG})>|</(?:{_CLOSE_TAG})>)*+", re.ASCII)

_SECTION: Final = rf'h[1-6]{_LANGUAGE_AND_DIRECTION} id="{SECTION_PREFIX}\d{{1,4}}"'
# An image without a text is called what the page's element of this id says.
IMAGE_LABEL: Final = "image-label"
_ZOOM: Final = rf'a class="zoom" href="/api/images/{_UUID}"(?: aria-labelledby="{IMAGE_LABEL}")?'
# The class of a table's cell that has more than a word or a number in it.
LONG: Final = "long"
_LONG_CELL: Final = rf't[dh]{_SPANS}{_GLOBAL} class="{LONG}"'
# Pages of a document: what leads to one, and its image.
PAGE_PREFIX: Final = "page-"
_PAGE: Final = rf'section{_LANGUAGE_AND_DIRECTION} id="{PAGE_PREFIX}\d{{1,5}}"(?: data-page="\d{{1,5}}")?'
_PAGE_IMAGE: Final = (
    rf'img class="page" src="/api/v1/items/{_UUID}/document/pages/\d{{1,5}}\.webp" alt="\d{{0,5}}"'
    r' width="\d{1,6}" height="\d{1,6}" loading="lazy"'
)
_SHOWN_TAG: Final = f"{_PAGE}|{_PAGE_IMAGE}|{_SECTION}|{_ZOOM}|{_LONG_CELL}|{_HIGHLIGHT}|{_OPEN_TAG}"
_SHOWN_LANGUAGE: Final = re.compile(rf"(?:[^<]++|<(?:{_SHOWN_TAG})>|</(?:{_CLOSE_TAG})>)*+", re.ASCII)


@final
class SafeHtml:
    """Sanitised markup. Not to be constructed: `sanitise_article` makes it, `admit` takes it back."""

    __slots__ = ("_html",)
    _html: str

    def __init__(self) -> None:
        raise TypeError("SafeHtml comes from sanitise_article, or from admit when it is read back")

    @classmethod
    def admit(cls, html: str) -> "SafeHtml | None":
        """The markup as `SafeHtml` if each tag and attribute in it is one `sanitise` writes, else None."""
        return cls._admit(html, _LANGUAGE)

    @classmethod
    def admit_marked(cls, html: str) -> "SafeHtml | None":
        """The same for markup with highlights in it. For `marking` only: what is stored has none."""
        return cls._admit(html, _MARKED_LANGUAGE)

    @classmethod
    def admit_shown(cls, html: str) -> "SafeHtml | None":
        """The same with highlights, places of headings, links of images, long cells. For `presenting` only."""
        return cls._admit(html, _SHOWN_LANGUAGE)

    @classmethod
    def _admit(cls, html: str, language: re.Pattern[str]) -> "SafeHtml | None":
        if language.fullmatch(html) is None:
            return None
        admitted = object.__new__(cls)
        object.__setattr__(admitted, "_html", html)
        return admitted

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("SafeHtml does not change")

    def __html__(self) -> str:
        """What Jinja2 asks of a value before it would escape it."""
        return self._html

    def __str__(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return f"SafeHtml({self._html[:60]!r}…)" if len(self._html) > 60 else f"SafeHtml({self._html!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SafeHtml) and self._html == other._html

    def __hash__(self) -> int:
        return hash((SafeHtml, self._html))

    def __len__(self) -> int:
        return len(self._html)
