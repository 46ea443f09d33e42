"""A crowd: people with libraries of all sizes that share articles, of generated words. Written in bulk, past the
services, as they would leave it; half a minute for a thousand people.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate, islice
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

from sqlalchemy import Table, insert, text

from kept.content.search.words import WORDS_VERSION
from kept.storage import tables
from kept.storage.database.engine import Connection, Database
from kept.storage.migrations.triggers import create_triggers, drop_triggers
from kept.storage.search.dialects import dialect_of
from kept.storage.search.fields import CardText, WordIndex, words_of_card, words_of_item, words_of_page
from support.fixtures.transactions import writing

T = TypeVar("T")

BEGIN: Final = datetime(2015, 1, 1, tzinfo=UTC)
BATCH: Final = 5_000
TAGS: Final = 10
VOCABULARY: Final = 50_000
JAPANESE_SHARE: Final = 0.05
SYLLABLES: Final = [consonant + vowel for consonant in "bcdfghjklmnprstvwxyz" for vowel in "aeiou"]
KANJI: Final = [chr(0x4E00 + number) for number in range(2_000)]


@dataclass(frozen=True)
class Crowd:
    people: int = 2_000
    articles: int = 300_000
    smallest: int = 50
    largest: int = 5_000
    length: int = 100
    """Words of an article, on average."""


class Article(NamedTuple):
    number: int
    title: str
    text: str
    own_word: str
    """No other article has it."""

    @property
    def url(self) -> str:
        return f"https://site{self.number % 997}.example/{self.number}"


class Holding(NamedTuple):
    """One item: whose, and of which article."""

    person: int
    article: int
    tag: int


def spell_word(rank: int) -> str:
    """The more frequent, the shorter."""
    spelt = ""
    while True:
        spelt += SYLLABLES[rank % len(SYLLABLES)]
        rank //= len(SYLLABLES)
        if rank == 0:
            return spelt


WORDS: Final = [spell_word(rank) for rank in range(VOCABULARY)]
WORD_WEIGHTS: Final = list(accumulate(1 / (rank + 2) for rank in range(VOCABULARY)))
KANJI_WEIGHTS: Final = list(accumulate(1 / (rank + 2) for rank in range(len(KANJI))))


def make_articles(crowd: Crowd, chance: random.Random) -> Iterator[Article]:
    for number in range(crowd.articles):
        own, length = f"zq{number:x}x", int(crowd.length * chance.lognormvariate(-0.18, 0.6)) + 10
        if chance.random() < JAPANESE_SHARE:
            said = "".join(chance.choices(KANJI, cum_weights=KANJI_WEIGHTS, k=length + 8))
            yield Article(number, said[:8], f"{said[8:]} {own}", own)
        else:
            words = chance.choices(WORDS, cum_weights=WORD_WEIGHTS, k=length + 6)
            yield Article(number, " ".join(words[:6]), f"{' '.join(words[6:])} {own}", own)


def choose_size(crowd: Crowd, chance: random.Random) -> int:
    """Many have little: ten times the size is a third as frequent."""
    small, large = crowd.smallest**-0.5, crowd.largest**-0.5
    return int((small - chance.random() * (small - large)) ** -2)


def make_holdings(crowd: Crowd, chance: random.Random) -> list[Holding]:
    """In the order they were saved. Everybody came at some time, many have left, and some pages everybody reads."""
    found: list[tuple[float, Holding]] = []
    for person in range(crowd.people):
        first = chance.random() * 0.7
        last = first + 0.1 + chance.random() * (0.9 - first)
        begin, span = int(first * crowd.articles), max(1, int((last - first) * crowd.articles))
        held: set[int] = set()
        for _ in range(min(choose_size(crowd, chance), span // 2)):
            part = chance.random() ** 3 if chance.random() < 0.3 else chance.random()
            held.add(begin + int(part * span))
        late = crowd.articles * 0.02
        for article in held:
            found.append((article + chance.random() * late, Holding(person, article, chance.randrange(TAGS))))
    return [holding for _, holding in sorted(found)]


# --- writing --------------------------------------------------------------------------------------------------


def fill(database: Database, crowd: Crowd, seed: int = 1) -> None:
    chance = random.Random(seed)
    with writing(database) as tx:
        prepare(tx)
        put_people(tx, crowd)
    for articles in in_batches(make_articles(crowd, chance)):
        with writing(database) as tx:
            put_articles(tx, articles)
    for first, holdings in enumerate(in_batches(make_holdings(crowd, chance))):
        with writing(database) as tx:
            put_items(tx, first * BATCH, holdings)
    with writing(database) as tx:
        finish(tx)


def in_batches(values: Iterable[T]) -> Iterator[list[T]]:
    left = iter(values)
    while batch := list(islice(left, BATCH)):
        yield batch


def prepare(tx: Connection) -> None:
    """Without triggers and indexes of words: they would be half of the work."""
    drop_triggers(tx)
    if tx.dialect.name != "sqlite":
        for index in WordIndex:
            tx.execute(text(f"DROP INDEX ix_{index.value}_words"))


def finish(tx: Connection) -> None:
    if tx.dialect.name == "sqlite":
        create_triggers(tx)
        return
    for index in WordIndex:
        tx.execute(
            text(f"CREATE INDEX ix_{index.value}_words ON {index.value} USING gin (words) WITH (fastupdate = off)")
        )
    for name in ("search_items", "search_media"):
        tx.execute(text(f"SELECT setval(pg_get_serial_sequence('{name}', 'no'), (SELECT max(no) FROM {name}))"))
    tx.execute(text("ANALYZE"))


def id_of(kind: int, number: int) -> UUID:
    """Later ones sort later, as those that Kept gives do."""
    return UUID(int=(number + 1) << 64 | kind)


def user_id_of(person: int) -> UUID:
    return id_of(1, person)


def library_id_of(person: int) -> UUID:
    return id_of(2, person)


def tag_id_of(person: int, tag: int) -> UUID:
    return id_of(3, person * TAGS + tag)


def put_people(tx: Connection, crowd: Crowd) -> None:
    everybody, times = range(crowd.people), {"created_at": BEGIN, "updated_at": BEGIN}
    users = [{"id": user_id_of(at), "name": f"p{at}", "created_at": BEGIN} for at in everybody]
    tx.execute(insert(tables.users).values(password_hash="-", is_admin=False), users)
    libraries = [{"id": library_id_of(at), "owner_id": user_id_of(at)} | times for at in everybody]
    tx.execute(insert(tables.libraries).values(name="My library", is_default=True), libraries)
    members = [{"library_id": library_id_of(at), "user_id": user_id_of(at), "created_at": BEGIN} for at in everybody]
    tx.execute(insert(tables.library_members).values(role="admin"), members)
    tags = [
        {"id": tag_id_of(at, tag), "library_id": library_id_of(at), "name": f"topic{tag}"}
        for at in everybody
        for tag in range(TAGS)
    ]
    tx.execute(insert(tables.tags), tags)


MEDIA: Final = (
    "id",
    "kind",
    "source_url",
    "canonical_url",
    "title",
    "excerpt",
    "metadata",
    "enrichment_status",
    "processing_status",
    "processing_attempts",
    "version",
    "created_at",
    "updated_at",
)
FRAGMENT: Final = (
    "id",
    "media_id",
    "ordinal",
    "html_sanitized",
    "canonical_text",
    "canonical_version",
    "created_at",
)
ITEM: Final = ("id", "library_id", "media_id", "url", "created_at", "updated_at")


def put_articles(tx: Connection, articles: Sequence[Article]) -> None:
    put = Writer(tx)
    media, fragments, cards, pages = [], [], [], []
    for article in articles:
        key, at, excerpt = id_of(4, article.number), time_of(article.number), article.text[:120]
        states = ("{}", "succeeded", "ready_for_reading", 1, 3)
        media.append((key, "web_article", article.url, article.url, article.title, excerpt, *states, at, at))
        fragments.append((key, key, 0, "<p></p>", article.text, 1, at))
        card = words_of_card(CardText(article.title, excerpt, None, None, article.url))
        cards.append((article.number + 1, card))
        pages.append((article.number + 1, words_of_page(card, article.text)))
    put.rows(tables.media, MEDIA, media)
    put.rows(tables.fragments, FRAGMENT, fragments)
    numbers = [(article.number + 1, id_of(4, article.number), WORDS_VERSION) for article in articles]
    put.rows(tables.search_media, ("no", "media_id", "version"), numbers)
    put.words(WordIndex.CARD, cards)
    put.words(WordIndex.PAGE, pages)


def put_items(tx: Connection, first: int, holdings: Sequence[Holding]) -> None:
    put = Writer(tx)
    rows, numbers, held, tagged, words = [], [], [], [], []
    for number, holding in enumerate(holdings, first):
        key, at = id_of(5, number), time_of(number)
        url = Article(holding.article, "", "", "").url
        rows.append((key, library_id_of(holding.person), id_of(4, holding.article), url, at, at))
        numbers.append((number + 1, key, WORDS_VERSION))
        held.append((number + 1, library_id_of(holding.person), holding.article + 1))
        tagged.append((key, tag_id_of(holding.person, holding.tag)))
        words.append((number + 1, (f"topic{holding.tag}", *words_of_url(url)[1:])))
    put.rows(tables.items, ITEM, rows)
    put.rows(tables.search_items, ("no", "item_id", "version"), numbers)
    put.rows(tables.library_numbers, ("item_no", "library_id", "media_no"), held)
    put.rows(tables.item_tags, ("item_id", "tag_id"), tagged)
    put.words(WordIndex.ITEM, words)


@lru_cache(50_000)  # most holders of a page saved it at about the same time
def words_of_url(url: str) -> tuple[str, ...]:
    return words_of_item(url, None, None, None, ())


def time_of(number: int) -> datetime:
    return BEGIN + timedelta(minutes=number)


class Writer:
    """Rows by the driver itself: `COPY`, or `executemany`."""

    def __init__(self, tx: Connection) -> None:
        self.is_sqlite, self.dialect = tx.dialect.name == "sqlite", dialect_of(tx)
        self.cursor: Any = tx.connection.cursor()
        if not self.is_sqlite:  # foreign keys are checked by triggers
            self.cursor.execute("SET LOCAL session_replication_role = replica")

    def rows(self, table: Table, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        self.put(table.name, columns, rows)

    def words(self, index: WordIndex, said: Iterable[tuple[int, tuple[str, ...]]]) -> None:
        if self.is_sqlite:
            columns = ["rowid", *(field.name for field in index.fields)]
            self.put(index.value, columns, ((no, *words) for no, words in said))
        else:
            vectors = (self.dialect.make_row(index, no, words) for no, words in said)
            self.put(index.value, ["no", "words"], ((vector["no"], vector["words"]) for vector in vectors))

    def put(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        named = ", ".join(columns)
        if self.is_sqlite:
            places = ", ".join("?" for _ in columns)
            self.cursor.executemany(f"INSERT INTO {table} ({named}) VALUES ({places})", map(as_sqlite, rows))
            return
        with self.cursor.copy(f"COPY {table} ({named}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


def as_sqlite(row: Sequence[Any]) -> list[Any]:
    return [SQLITE_FORMS[type(value)](value) if type(value) in SQLITE_FORMS else value for value in row]


SQLITE_FORMS: Final[dict[type, Any]] = {
    UUID: lambda value: value.hex,
    datetime: lambda value: value.strftime("%Y-%m-%d %H:%M:%S.%f"),
}
