"""A page before, and an article after extraction: values without the parsers that make them, which only child
processes need."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from kept.content.article.canonical import CanonicalText, canonical_text, walk_text
from kept.content.article.safe_html import PLACE_PREFIX, SafeHtml
from kept.content.article.site_rules import RuleUse, SiteRule
from kept.content.page.description import PageMetadata
from kept.content.page.page_number import NextPage
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.message import Message
from kept.domain.text import normalise

# As much as a fetch may bring; an article is a part of its page.
MAX_ARTICLE_CHARACTERS: Final = 10 * 1024 * 1024
ARTICLE_TOO_LONG: Final = Message(
    "The article is longer than %(max_article_characters)s characters.",
    {"max_article_characters": f"{MAX_ARTICLE_CHARACTERS:,}"},
)
# Where the article stands in a file of Kept's own export: what writes it and what reads it back must agree.
ARTICLE_BEGINS: Final = "<article>"
ARTICLE_ENDS: Final = "</article>"
_WORD: Final = re.compile(r"[^\W\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_IDEOGRAPH: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_OPENS: Final = "<section"
# Of a page's text, told by its lines. Half of it again is the same page, with other comments or other teasers.
MAX_REPEATED: Final = 0.5
# Shorter lines ("Advertisement", a name) stand on every page of a site.
_LEAST_LINE: Final = 20
_PLACES: Final = re.compile(rf'( id="|<a href="#){PLACE_PREFIX}([A-Za-z0-9_.-]{{1,200}})"')
_LONGEST_PLACE: Final = 200


@dataclass(frozen=True, slots=True)
class ImageRef:
    """An image of the article: the id its `src` now names, and where it came from."""

    id: UUID
    origin_url: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was fetched, and which media it is for."""

    body: bytes = field(repr=False)
    final_url: str
    media_id: UUID
    content_type: str | None = None
    status: int | None = None
    canonical_url: str | None = None
    """Where the article lives; `final_url` if that is not another one."""
    is_article: bool = False
    """Another tool found the article in the page already: all of it is to be kept."""
    is_copy: bool = False
    """A file of another Kept's: the article is made safe again, and nothing else is done to it."""
    is_upload: bool = False
    """Somebody uploaded it as they see it: nothing stands in its way, whatever it says."""
    rule: SiteRule | None = None
    """What the operator says about this site; for `reading`."""


@dataclass(frozen=True, slots=True)
class Article:
    """What is kept of a page."""

    title: str | None
    byline: str | None
    excerpt: str | None
    site_name: str | None
    lang: str | None
    dir: str | None
    word_count: int
    html: SafeHtml = field(repr=False)
    text: CanonicalText = field(repr=False)
    images: tuple[ImageRef, ...] = field(repr=False)
    metadata: PageMetadata = field(repr=False)
    next_page: NextPage | None = None
    """Where the article goes on, if the page is one of several."""
    rule_use: RuleUse | None = None


@dataclass(frozen=True, slots=True)
class ExtractFailed:
    """No article, and why; the message is for people. What the page said of itself may still be of use."""

    code: FailureCode
    message: str
    stage: FailureStage = FailureStage.EXTRACT
    metadata: PageMetadata | None = field(default=None, repr=False)
    detail: str | None = None
    """For the log, where the message leaves something out: programs and their errors."""
    is_transient: bool = False
    """A child process hung or died, and may do better next time; what the page lacks, it will lack again."""
    alternate_url: str | None = None
    """Another version that the page names of itself (AMP, for printing), where it has no article."""


@dataclass(frozen=True, slots=True)
class JoinedText:
    """The pages of one article, joined. Pure; called by the extractor child, and by who decides what belongs
    together.

    Each page was made safe by itself. Side by side they are safe too, which is checked again; what had to be told apart
    are the places within them, since two pages may each have a first footnote.

    An article of several pages.
    """

    html: SafeHtml = field(repr=False)
    text: CanonicalText = field(repr=False)
    word_count: int


def count_words(text: str) -> int:
    """Words as a reader's time counts them: where words are not set apart, two characters are about one."""
    return len(_WORD.findall(text)) + (len(_IDEOGRAPH.findall(text)) + 1) // 2


def find_page_starts(html: SafeHtml) -> tuple[int, ...]:
    """Pages of a document: each is a `<section>` of its article, and there are no others.

    Where each page begins in the canonical text; an empty page begins where the next one does.
    """
    markup, starts, length = str(html), list[int](), 0
    opens_at = markup.find(_OPENS)
    for piece in walk_text(html):
        length += len(piece.before) if length else 0
        while 0 <= opens_at < piece.start:
            starts.append(length)
            opens_at = markup.find(_OPENS, opens_at + 1)
        length += len(normalise(piece.text, "NFC"))
    while opens_at >= 0:
        starts.append(length)
        opens_at = markup.find(_OPENS, opens_at + 1)
    return tuple(starts)


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
