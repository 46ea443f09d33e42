"""A page's rough shape: how much it says, its headings, its forms. Only `challenge` uses it."""

import re
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from kept.content.page.bounds import bounded_prefix
from kept.content.page.text_cleaning import clean_line, take_texts

_MAX_PARSED: Final = 1024 * 1024
# Five times the words of the wordiest page that stands in the way; what comes after them tells nothing more.
_MAX_WORDS: Final = 4_500
_MAX_TEXT: Final = 30_000
_MAX_TITLE: Final = 2_000
# Chinese, Japanese and Thai do not part words by spaces; two characters are about one word.
_UNSPACED: Final = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# A title is often "Heading | Site": each part may be the heading.
_TITLE_PARTS: Final = re.compile(r"(?<!\s)\s++[|–—·•»:/-]++\s++|(?<!\s)\s*+[|»]\s*+|:\s++")
_HIDDEN: Final = ["script", "style", "template", "svg", "noscript", "head", "iframe"]
_PAGE_PARTS: Final = "h1, main, article, footer"
_APPLICATION_ROOTS: Final = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #svelte, #app-root, #react-root, #main-app, app-root, "
    "[ng-app], [data-reactroot], #ember-app, #application"
)


@dataclass(frozen=True, slots=True)
class PageOutline:
    """The facts of a page by which it is classified."""

    is_whole: bool
    text: str
    words: int
    paragraph_words: int
    headings: tuple[str, ...]
    noscript_text: str
    scripts: int
    has_form: bool
    has_password: bool
    has_application_root: bool


def read_outline(html: str) -> PageOutline:
    """Outline a page, or its beginning if it is long."""
    read = bounded_prefix(html[:_MAX_PARSED])
    page = LexborHTMLParser(read.encode("utf-8", "replace"))
    noscripts = page.css("noscript")[:20]
    unclosed = [node for node in noscripts if node.css_first(_PAGE_PARTS) is not None]
    noscript = clean_line(" ".join(take_texts([node for node in noscripts if node not in unclosed], _MAX_TEXT)))
    for node in unclosed:  # it holds the rest of the page
        node.unwrap()
    scripts = len(page.css("script"))
    headings = _headings(page)
    page.strip_tags(_HIDDEN, recursive=True)
    text = clean_line(" ".join(page.text(separator=" ").split(maxsplit=_MAX_WORDS)[:_MAX_WORDS]))
    paragraphs = " ".join(take_texts(page.css("p")[:500], _MAX_TEXT))
    return PageOutline(
        is_whole=len(read) == len(html),
        text=text[:20_000],
        words=_count_words(text),
        paragraph_words=_count_words(paragraphs),
        headings=headings,
        noscript_text=noscript[:2_000],
        scripts=scripts,
        has_form=page.css_first("form, button, input") is not None,
        has_password=page.css_first("input[type=password i]") is not None,
        has_application_root=page.css_first(_APPLICATION_ROOTS) is not None,
    )


def count_shown_words(page: LexborHTMLParser) -> int:
    """Return a lower bound of the words in the page's outline."""
    body = page.body
    if body is None:
        return 0
    unshown = sum(len(node.text().split()) for node in body.css("script, style, noscript, iframe, svg, template"))
    return len(body.text(separator=" ").split()) - unshown


def _headings(page: LexborHTMLParser) -> tuple[str, ...]:
    """Return the title, its parts, and the first headings, in lower case and without a full stop."""
    title = page.css_first("title")
    whole = clean_line(title.text()[:_MAX_TITLE]) if title is not None else ""
    found = [whole, *_TITLE_PARTS.split(whole)]
    # An article has many second headings, one of them perhaps "Captcha"; a page in the way has one at most.
    own = page.css("h1")[:2] or page.css("h2")[:1]
    found += [clean_line(node.text(separator=" ")) for node in own]
    return tuple(dict.fromkeys(line.lower().strip(" .!?…:'\"“”") for line in found if 0 < len(line) <= 120))


def _count_words(text: str) -> int:
    unspaced = len(_UNSPACED.findall(text))
    return len(text.split()) + unspaced // 2
