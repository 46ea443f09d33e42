"""A library of any size, of articles of real length: recombined from the corpus by a seeded generator."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Executable, Table, text

from kept.content.search.words import WORDS_VERSION, index_words
from kept.domain.lifecycle import ProcessingStatus
from kept.storage import libraries, tables
from kept.storage.database.dialects import by_dialect, insert_for
from kept.storage.database.engine import Connection, Database
from kept.storage.search.dialects import dialect_of
from kept.storage.search.fields import CardText, WordIndex, words_of_card, words_of_item
from support.builders.extraction_corpus import load_articles, load_mozilla, text_of_html
from support.fixtures.transactions import writing

BEGIN: Final = datetime(2015, 1, 1, tzinfo=UTC)
TAGS: Final = 50
BATCH: Final = 500
# The corpus has one Japanese page; a library of somebody who reads Japanese has more.
JAPANESE_SHARE: Final = 0.05
SHORTEST_PARAGRAPH: Final = 40


@dataclass(frozen=True)
class Paragraph:
    text: str
    words: str
    """As the index has them: made once, or filling a library would be mostly that."""


@dataclass(frozen=True)
class MadeArticle:
    number: int
    title: str
    paragraphs: Sequence[Paragraph]
    tag: str
    own_word: str
    """No other article has it."""

    @property
    def text(self) -> str:
        return "\n\n".join([*(paragraph.text for paragraph in self.paragraphs), self.own_word])


def load_texts() -> list[str]:
    return [page.true_text for page in load_articles()] + [text_of_html(page.expected_html) for page in load_mozilla()]


def is_japanese(paragraph: str) -> bool:
    return sum("\u3041" <= character <= "\u30ff" for character in paragraph) > 5


def make_articles(count: int, seed: int = 1) -> Iterator[MadeArticle]:
    """Each as long as some article of the corpus, of paragraphs from all of them."""
    chance = random.Random(seed)
    split = [[line.strip() for line in said.split("\n") if len(line) > SHORTEST_PARAGRAPH] for said in load_texts()]
    lengths = [len(lines) for lines in split if lines]
    every = [Paragraph(line, index_words(line)) for lines in split for line in lines]
    japanese = [paragraph for paragraph in every if is_japanese(paragraph.text)]
    others = [paragraph for paragraph in every if not is_japanese(paragraph.text)]
    for number in range(count):
        pool = japanese if japanese and chance.random() < JAPANESE_SHARE else others
        title = " ".join(chance.choice(others).text.split()[:8])
        paragraphs = chance.choices(pool, k=chance.choice(lengths))
        # a tenth of all tags are on half of the articles, as it is in life
        tag = f"topic{int(chance.random() ** 2 * TAGS)}"
        yield MadeArticle(number, title, paragraphs, tag, f"zq{number:x}x")


def fill_library(database: Database, user_id: UUID, articles: Iterator[MadeArticle]) -> None:
    """In bulk, as the services would leave it."""
    with writing(database) as tx:
        library_id = libraries.get_default_library_id(tx, user_id)
        names = [f"topic{number}" for number in range(TAGS)]
        tags = {name: UUID(int=number + 1) for number, name in enumerate(names)}
        rows = [{"id": tag_id, "library_id": library_id, "name": name} for name, tag_id in tags.items()]
        tx.execute(tables.tags.insert(), rows)
        if not database.is_sqlite:
            for index in WordIndex:
                tx.execute(text(f"DROP INDEX ix_{index.value}_words"))
    batch: list[MadeArticle] = []
    for article in articles:
        batch.append(article)
        if len(batch) == BATCH:
            insert_batch(database, library_id, tags, batch)
            batch = []
    insert_batch(database, library_id, tags, batch)
    if not database.is_sqlite:
        with writing(database) as tx:
            for name in (index.value for index in WordIndex):
                columns = "USING gin (words) WITH (fastupdate = off)"
                tx.execute(text(f"CREATE INDEX ix_{name}_words ON {name} {columns}"))
            for name in ("search_items", "search_media"):
                last = f"(SELECT max(no) FROM {name})"
                tx.execute(text(f"SELECT setval(pg_get_serial_sequence('{name}', 'no'), {last})"))
        with writing(database) as tx:
            tx.execute(text("ANALYZE"))


def insert_batch(database: Database, library_id: UUID, tags: dict[str, UUID], batch: Sequence[MadeArticle]) -> None:
    if not batch:
        return
    rows: dict[Any, list[dict[str, Any]]] = {}
    for article in batch:
        for table, row in make_rows(library_id, tags, article).items():
            rows.setdefault(table, []).append(row)
    with writing(database) as tx:
        for table, listed in rows.items():
            tx.execute(NUMBERED[tx.dialect.name].get(table, table.insert()), listed)
        put_words(tx, batch)


def put_number(dialect: str, table: Table, key: str) -> Executable:
    """The database gave a number already, to be indexed later; here comes the one that is known, with its words."""
    insert = insert_for(dialect, table)
    newer = {"no": insert.excluded.no, "version": insert.excluded.version}
    put: Executable = insert.on_conflict_do_update(index_elements=[key], set_=newer)
    return put


NUMBERED: Final = by_dialect(
    lambda dialect: {
        tables.search_items: put_number(dialect, tables.search_items, "item_id"),
        tables.search_media: put_number(dialect, tables.search_media, "media_id"),
    }
)


def make_rows(library_id: UUID, tags: dict[str, UUID], article: MadeArticle) -> dict[Any, dict[str, Any]]:
    key = UUID(int=(article.number + 1) << 64 | 1)
    at = BEGIN + timedelta(minutes=article.number)
    times = {"created_at": at, "updated_at": at}
    statuses = {"enrichment_status": "succeeded", "processing_status": ProcessingStatus.READY_FOR_READING}
    counts = {"processing_attempts": 1, "version": 3, "word_count": 800}
    page = {"id": key, "kind": "web_article", "source_url": url_of(article), "canonical_url": url_of(article)}
    said = {"title": article.title, "excerpt": article.paragraphs[0].text[:200], "metadata": {}}
    fragment = {"id": key, "media_id": key, "ordinal": 0, "canonical_version": 1, "created_at": at}
    return {
        tables.media: page | said | statuses | counts | times,
        tables.items: {"id": key, "library_id": library_id, "media_id": key, "url": url_of(article)} | times,
        tables.fragments: fragment | {"html_sanitized": "<p></p>", "canonical_text": article.text},
        tables.item_tags: {"item_id": key, "tag_id": tags[article.tag]},
        tables.search_items: {"no": article.number + 1, "item_id": key, "version": WORDS_VERSION},
        tables.search_media: {"no": article.number + 1, "media_id": key, "version": WORDS_VERSION},
    }


def url_of(article: MadeArticle) -> str:
    return f"https://site{article.number % 997}.example/{article.number}"


def put_words(tx: Connection, batch: Sequence[MadeArticle]) -> None:
    dialect = dialect_of(tx)
    words: dict[WordIndex, list[dict[str, Any]]] = {index: [] for index in WordIndex}
    for article in batch:
        excerpt = article.paragraphs[0].text[:200]
        card = words_of_card(CardText(article.title, excerpt, None, None, url_of(article)))
        body = " ".join([*(paragraph.words for paragraph in article.paragraphs), article.own_word])
        said = {
            WordIndex.ITEM: words_of_item(url_of(article), None, None, None, [article.tag]),
            WordIndex.CARD: card,
            WordIndex.PAGE: (" ".join(card), body),
        }
        for index, fields in said.items():
            words[index].append(dialect.make_row(index, article.number + 1, fields))
    for index, rows in words.items():
        if rows:  # nobody has marked anything
            tx.execute(dialect.put[index], rows)
