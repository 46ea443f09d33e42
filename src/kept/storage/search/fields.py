"""What the search index holds of an item, of a page's card, of its article and of highlights: the fields and weights.

Both databases have these four indexes under the same names (`sqlite.py`, `postgresql.py`); a row's
number is that of `search_items`, `search_media` or `search_highlights`. What a library says of a page is indexed apart
from what the page says, and what one person marked apart from both: so the words of a page are there once for
everybody, and nobody finds a page by somebody else's words.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple
from urllib.parse import unquote

from sqlalchemy import ColumnElement, FromClause, bindparam

from kept.content.search.query import Term
from kept.content.search.words import index_words
from kept.storage.database.dialects import Expression, Parameter, Query
from kept.urls.url import NormalisedUrl, parse_url

# Letters.
SHORT_BEGINNING: Final = 2
# Beyond this a URL is no place name but data.
MOST_URL: Final = 500


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    weight: float
    """How much more a word counts here than in the text of an article."""
    label: str
    """PostgreSQL's name for a weight, A to D."""


class WordIndex(Enum):
    ITEM = "item_words"
    CARD = "card_words"
    PAGE = "page_words"
    HIGHLIGHT = "highlight_words"

    @property
    def fields(self) -> tuple[Field, ...]:
        return FIELDS[self]


class CardText(NamedTuple):
    """What a page says of itself."""

    title: str | None
    excerpt: str | None
    byline: str | None
    site_name: str | None
    canonical_url: str | None


class Question(NamedTuple):
    """What one of the indexes is asked; in some of its fields, or in all."""

    way: WordIndex
    wanted: Sequence[Term]
    unwanted: Sequence[Term] = ()
    fields: Sequence[str] = ()
    is_frequent: bool = False
    """Whether so many of everybody's rows answer it that the index is no help (`mark_frequent` of each database)."""

    @property
    def weighs(self) -> bool:
        """Whether it is worth it to tell how well a row answers."""
        return not any(is_dear(self.way, term) for term in self.wanted)


class Among(NamedTuple):
    """Some of the numbers of an index: a question is asked about these alone."""

    size: int
    first: int
    last: int
    listed: str | None = None
    """As the database writes and reads them (`pack`); None where they are all that the libraries hold."""


class Extent(Enum):
    """Which numbers a question is asked about."""

    ALL = "all"
    LIBRARY = "library"
    LIST = "list"


class Asked(NamedTuple):
    """A question as a statement is made of it; what it says comes as parameters."""

    at: int
    """Ends the names of its parameters."""
    way: WordIndex
    extent: Extent
    weighs: bool
    is_frequent: bool
    is_looked_up: bool
    """Number by number, instead of by the index."""
    is_exact: bool
    """Whether the index tells all by itself."""

    def parameter(self, name: str) -> Parameter:
        return bindparam(f"{name}_{self.at}")


class Within(NamedTuple):
    """The same numbers as `Among` has, in SQL."""

    first: ColumnElement[int]
    last: ColumnElement[int]
    numbers: Query
    """Selects them, under the name `no`."""
    listed: Expression | None = None


class Hold(NamedTuple):
    """Which items may be found."""

    join: Callable[[FromClause, ColumnElement[int]], Query]
    """Joins them to rows of an index, by their number."""
    own: Query | None
    """Selects the numbers that a library holds, under the name `no`, if nothing else narrows what may be found."""


FIELDS: Final = {
    WordIndex.ITEM: (
        Field("title", 8.0, "A"),  # with the tags
        Field("note", 4.0, "B"),
        Field("url", 2.0, "C"),
        Field("site", 0.0, "D"),  # whole host names, for site:
    ),
    WordIndex.CARD: (Field("title", 8.0, "A"), Field("about", 3.0, "B")),
    WordIndex.PAGE: (Field("card", 2.0, "B"), Field("text", 1.0, "D")),
    WordIndex.HIGHLIGHT: (Field("quote", 3.0, "C"), Field("note", 4.0, "B")),
}


def words_of_item(
    url: str, title: str | None, excerpt: str | None, note: str | None, tags: Iterable[str]
) -> tuple[str, ...]:
    parsed = parse_url(url)
    sites = parents_of(parsed.host) if isinstance(parsed, NormalisedUrl) else []
    said_of_site = " ".join(site_token(site) for site in sites)
    return index_words(title, *tags), index_words(note, excerpt), index_words(unquote(url[:MOST_URL])), said_of_site


def words_of_card(card: CardText) -> tuple[str, ...]:
    host = (card.canonical_url or "").partition("://")[2].partition("/")[0]
    return index_words(card.title), index_words(card.excerpt, card.byline, card.site_name, host)


def words_of_page(card: tuple[str, ...], text: str, running_text: str | None = None) -> tuple[str, ...]:
    """With the card's, so that a page has all the words of a search though some stand only in its title; and with what
    stands above and below the pages of a document."""
    return " ".join(filter(None, card)), index_words(text, running_text)


def words_of_highlight(quote: str, note: str | None) -> tuple[str, ...]:
    return index_words(quote), index_words(note)


def parents_of(host: str) -> list[str]:
    """A host and the sites it is part of: blog.example.org is found at example.org, too."""
    labels = host.split(".")
    return [".".join(labels[at:]) for at in range(max(1, len(labels) - 1))]


def site_token(site: str) -> str:
    """A colon stands in no word of a text, so that this is never taken for one."""
    return f"site:{site.strip('[]').replace(':', '.')}"


def is_short_beginning(term: Term) -> bool:
    """Says little about what it finds; and FTS5 puts all words together that begin so, each time it is asked."""
    return term.is_beginning and term.typed_length <= SHORT_BEGINNING


def is_dear(index: WordIndex, term: Term) -> bool:
    """To weigh a phrase, FTS5 counts the articles that have it by going through all of them: 70 ms for "of the"."""
    return term.is_phrase if index is WordIndex.PAGE else is_short_beginning(term)


def is_open(index: WordIndex, term: Term) -> bool:
    """Three letters begin words in nearly every article: there they are a word, in titles and notes a beginning.

    Measured with 100,000 articles: `con*` takes 169 ms in their texts, `cont*` 39 ms, most of four letters under 10.
    """
    if not term.ends_open or index is not WordIndex.PAGE:
        return term.ends_open
    return term.runs[-1][1] or term.typed_length >= 4
