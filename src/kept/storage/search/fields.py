"""What the search index holds of an item, of a page's card, of its article and of highlights: the fields and weights.

Both databases have these four indexes under the same names (`sqlite.py`, `postgresql.py`); a row's
number is that of `search_items`, `search_media` or `search_highlights`. What a library says of a page is indexed apart
from what the page says, and what one person marked apart from both: so the words of a page are there once for
everybody, and nobody finds a page by somebody else's words.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple
from urllib.parse import unquote

from kept.content.search.words import index_words
from kept.urls.url import NormalisedUrl, parse_url

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
