"""The pages of one article, joined. Pure; called by the extractor child, and by who decides what belongs together.

Each page was made safe by itself. Side by side they are safe too, which is checked again; what had to be told apart are
the places within them, since two pages may each have a first footnote.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from kept.content.article.article import MAX_ARTICLE_CHARACTERS, count_words
from kept.content.article.canonical import CanonicalText, canonical_text
from kept.content.article.safe_html import PLACE_PREFIX, SafeHtml

# Of a page's text, told by its lines. Half of it again is the same page, with other comments or other teasers.
MAX_REPEATED: Final = 0.5
# Shorter lines ("Advertisement", a name) stand on every page of a site.
_LEAST_LINE: Final = 20
_PLACES: Final = re.compile(rf'( id="|<a href="#){PLACE_PREFIX}([A-Za-z0-9_.-]{{1,200}})"')
_LONGEST_PLACE: Final = 200


@dataclass(frozen=True, slots=True)
class JoinedText:
    """An article of several pages."""

    html: SafeHtml = field(repr=False)
    text: CanonicalText = field(repr=False)
    word_count: int


def join_pages(pages: Sequence[SafeHtml]) -> JoinedText | None:
    """None where they are too long together, or would be no article as we write them."""
    written = "".join(_with_own_places(str(html), number) for number, html in enumerate(pages, 1))
    html = SafeHtml.admit(written) if len(written) <= MAX_ARTICLE_CHARACTERS else None
    if html is None:
        return None
    try:
        text = canonical_text(html)
    except ValueError:
        return None
    return JoinedText(html, text, count_words(text.text))


def is_repeated(lines: Sequence[str], known: Collection[str]) -> bool:
    """Whether a page has little that the pages before it have not."""
    repeated = sum(len(line) for line in lines if line in known)
    return repeated > MAX_REPEATED * sum(map(len, lines)) or not lines


def lines_of(text: str) -> list[str]:
    """By which pages are compared."""
    return [line for line in map(str.strip, text.split("\n")) if len(line) >= _LEAST_LINE]


def _with_own_places(html: str, number: int) -> str:
    if number == 1:
        return html
    return _PLACES.sub(lambda found: f'{found[1]}{PLACE_PREFIX}{f"p{number}.{found[2]}"[:_LONGEST_PLACE]}"', html)
