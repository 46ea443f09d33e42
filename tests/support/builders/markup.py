"""Markup that nobody would write, for tests of promises that hold for any."""

from uuid import UUID

from hypothesis import assume
from hypothesis import strategies as st

from kept.content.article.safe_html import KEPT_TAGS, MATH_TAGS, SafeHtml
from kept.content.article.sanitise import SanitisedArticle, SanitiseFailed, sanitise_article

PAGE = "https://site.example/a/b"

TAGS = [
    *sorted(KEPT_TAGS | MATH_TAGS),
    "semantics",
    "annotation",
    "annotation-xml",
    "mglyph",
    "malignmark",
    "svg",
    "style",
    "script",
    "template",
    "noscript",
    "form",
    "iframe",
    "article",
]
TAGS += [
    "span",
    "font",
    "select",
    "option",
    "title",
    "textarea",
    "xmp",
    "marquee",
    "button",
    "foreignObject",
    "picture",
]
ATTRIBUTES = [
    "href",
    "src",
    "srcset",
    "title",
    "alt",
    "onclick",
    "style",
    "id",
    "lang",
    "dir",
    "cite",
    "width",
    "value",
    "name",
    "display",
    "mathvariant",
    "class",
]
# Accents that compose with a letter, with each other and with "<", and the three parts of a Hangul syllable.
_MARKS = "\u0301\u0323\u0338\u1100\u1161\u11a8"
_words = st.text("ab<>&\"' \n\t\u00a0é漢#:/" + _MARKS, max_size=12)
_values = st.one_of(
    _words,
    st.sampled_from(
        ["/x", "#f", "f", "inline", "block", "normal", "javascript:1", "https://x.example/?a&b", "data:x", "12", "en"]
    ),
)
_attributes = st.lists(st.tuples(st.sampled_from(ATTRIBUTES), _values), max_size=3)


def _open(tag: str, attributes: list[tuple[str, str]]) -> str:
    written = "".join(f' {name}="{value}"' for name, value in attributes)
    return f"<{tag}{written}>"


_pieces = st.one_of(
    _words,
    st.builds(_open, st.sampled_from(TAGS), _attributes),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.sampled_from(["<!--", "-->", "<![CDATA[", "]]>", "<", "&lt;", "&amp;lt;", "&#0;", "\r\n", "<br/>"]),
)
markup = st.lists(_pieces, max_size=40).map("".join)


def make_safe(html: str) -> SafeHtml:
    """What the sanitiser makes of it."""
    made = _sanitise(html)
    assert isinstance(made, SanitisedArticle), made
    return made.html


def _sanitise(html: str) -> SanitisedArticle | SanitiseFailed:
    return sanitise_article(html, base_url=PAGE, canonical_url=PAGE, media_id=UUID(int=5))


@st.composite
def _safe_markup(draw: st.DrawFn) -> SafeHtml:
    made = _sanitise(draw(markup))
    assume(isinstance(made, SanitisedArticle))
    assert isinstance(made, SanitisedArticle)
    return made.html


safe_markup = _safe_markup()
