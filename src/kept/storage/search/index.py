"""Writing the search index, always in the transaction of what it indexes. Services call this; `search.py` asks."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Column, Executable, Table, bindparam, exists, func, or_, select, update

from kept.content.search.words import WORDS_VERSION
from kept.domain.highlight import Highlight
from kept.domain.item import Item
from kept.storage.database.dialects import by_dialect, insert_for, upsert
from kept.storage.database.engine import Connection
from kept.storage.database.statements import Query
from kept.storage.highlights import HIGHLIGHT_COLUMNS, highlight_of_columns
from kept.storage.items import list_tags
from kept.storage.search import postgresql as search_postgresql
from kept.storage.search import sqlite as search_sqlite
from kept.storage.search.fields import (
    CardText,
    WordIndex,
    words_of_card,
    words_of_highlight,
    words_of_item,
    words_of_page,
)
from kept.storage.tables import (
    fragments,
    highlights,
    items,
    media,
    search_highlights,
    search_items,
    search_media,
)

STALE_VERSION: Final = 0
NUMBERS: Final = (search_items, search_media, search_highlights)


def number_statement(dialect: str, table: Table, key: str) -> Executable:
    """Gives a row its number, the same one each time."""
    numbered = insert_for(dialect, table).values({key: bindparam(key), "version": WORDS_VERSION})
    statement: Executable = numbered.on_conflict_do_update(
        index_elements=[key], set_={"version": WORDS_VERSION}
    ).returning(table.c.no)
    return statement


def port_of(dialect: str) -> Any:
    return search_sqlite if dialect == "sqlite" else search_postgresql


# Those of every save, and of every ingestion.
NUMBER_ITEM: Final = by_dialect(partial(number_statement, table=search_items, key="item_id"))
NUMBER_MEDIA: Final = by_dialect(partial(number_statement, table=search_media, key="media_id"))
CARD_COLUMNS: Final = (media.c.title, media.c.excerpt, media.c.byline, media.c.site_name, media.c.canonical_url)
READ_CARD: Final = select(*CARD_COLUMNS).where(media.c.id == bindparam("media_id"))
READ_TEXT: Final = select(fragments.c.canonical_text).where(fragments.c.media_id == bindparam("media_id"))


def put_words(tx: Connection, index: WordIndex, no: int, words: Sequence[str]) -> None:
    port = port_of(tx.dialect.name)
    tx.execute(port.PUT[index], port.values_of(index, no, words))


def get_number(tx: Connection, statements: Mapping[str, Executable], **key: UUID) -> int:
    number: int = tx.execute(statements[tx.dialect.name], key).scalar_one()
    return number


def index_item(tx: Connection, item: Item, tags: Iterable[str] = ()) -> None:
    """What a library says of a page; all of it, whatever changed."""
    no = get_number(tx, NUMBER_ITEM, item_id=item.id)
    put_words(tx, WordIndex.ITEM, no, words_of(item, tags))


def index_items(tx: Connection, item_ids: Sequence[UUID]) -> None:
    """The same, of items as they stand."""
    if not item_ids:
        return
    found = [Item(*row) for row in tx.execute(select(items).where(items.c.id.in_(item_ids)))]
    named = list_tags(tx, item_ids)
    numbers = number_items(tx, [item.id for item in found])
    port = port_of(tx.dialect.name)
    rows = [port.values_of(WordIndex.ITEM, numbers[item.id], words_of(item, named.get(item.id, ()))) for item in found]
    if rows:
        tx.execute(port.PUT[WordIndex.ITEM], rows)


def number_items(tx: Connection, item_ids: Sequence[UUID]) -> dict[UUID, int]:
    return number_rows(tx, search_items, "item_id", item_ids)


def number_rows(tx: Connection, numbers: Table, key: str, ids: Sequence[UUID]) -> dict[UUID, int]:
    if not ids:
        return {}
    put = upsert(tx, numbers).on_conflict_do_update(index_elements=[key], set_={"version": WORDS_VERSION})
    tx.execute(put, [{key: row_id, "version": WORDS_VERSION} for row_id in ids])
    query = select(numbers.c[key], numbers.c.no).where(numbers.c[key].in_(ids))
    return {row[0]: row.no for row in tx.execute(query)}


def words_of(item: Item, tags: Iterable[str]) -> tuple[str, ...]:
    return words_of_item(item.url, item.title, item.excerpt, item.note, tags)


def index_card(tx: Connection, media_id: UUID, card: CardText) -> None:
    """What a page says of itself, where there is no article yet."""
    no = get_number(tx, NUMBER_MEDIA, media_id=media_id)
    put_words(tx, WordIndex.CARD, no, words_of_card(card))


def index_page(tx: Connection, media_id: UUID) -> None:
    """The card and the article, if there is one, as they stand."""
    said = tx.execute(READ_CARD, {"media_id": media_id}).first()
    if said is None:  # merged away meanwhile
        return
    card = words_of_card(CardText(*said))
    text = tx.scalar(READ_TEXT, {"media_id": media_id})
    no = get_number(tx, NUMBER_MEDIA, media_id=media_id)
    put_words(tx, WordIndex.CARD, no, card)
    if text is not None:
        put_words(tx, WordIndex.PAGE, no, words_of_page(card, text))


def index_highlights(tx: Connection, found: Sequence[Highlight]) -> None:
    """What one person marked, and noted of it."""
    numbers = number_rows(tx, search_highlights, "highlight_id", [highlight.id for highlight in found])
    port, index = port_of(tx.dialect.name), WordIndex.HIGHLIGHT
    words = {highlight.id: words_of_highlight(highlight.quote.exact, highlight.note) for highlight in found}
    rows = [port.values_of(index, numbers[key], said) for key, said in words.items()]
    if rows:
        tx.execute(port.PUT[index], rows)


def index_highlights_anew(tx: Connection, highlight_ids: Sequence[UUID]) -> None:
    """The same, of highlights as they stand."""
    query = select(*HIGHLIGHT_COLUMNS).where(highlights.c.id.in_(highlight_ids))
    index_highlights(tx, [highlight_of_columns(row) for row in tx.execute(query)])


# --- making it anew -------------------------------------------------------------------------------------------


def was_broken_off(tx: Connection) -> bool:
    """Whether some of what was marked is still to be done."""
    marked = [exists().where(table.c.version == STALE_VERSION) for table in NUMBERS]
    return bool(tx.execute(select(or_(*marked))).scalar_one())


def mark_all_stale(tx: Connection) -> None:
    """Everything stays findable as it is, until its turn comes."""
    for table in NUMBERS:
        tx.execute(update(table).values(version=STALE_VERSION))


def select_stale(table: Table, numbers: Table, key: Column[UUID]) -> Query:
    """Without a number, or with words made the old way."""
    is_stale = or_(numbers.c.version.is_(None), numbers.c.version < WORDS_VERSION)
    return select(table.c.id).outerjoin(numbers, key == table.c.id).where(is_stale)


STALE_ITEMS: Final = select_stale(items, search_items, search_items.c.item_id)
STALE_MEDIA: Final = select_stale(media, search_media, search_media.c.media_id)
STALE_HIGHLIGHTS: Final = select_stale(highlights, search_highlights, search_highlights.c.highlight_id)


def count_stale(tx: Connection) -> int:
    found = (STALE_ITEMS, STALE_MEDIA, STALE_HIGHLIGHTS)
    counts = (select(func.count()).select_from(stale.subquery()) for stale in found)
    return sum([tx.execute(count).scalar_one() for count in counts])


def list_stale_items(tx: Connection, after: UUID, limit: int) -> list[UUID]:
    query = STALE_ITEMS.where(items.c.id > after).order_by(items.c.id).limit(limit)
    return list(tx.execute(query).scalars())


def list_stale_media(tx: Connection, after: UUID, limit: int) -> list[UUID]:
    query = STALE_MEDIA.where(media.c.id > after).order_by(media.c.id).limit(limit)
    return list(tx.execute(query).scalars())


def list_stale_highlights(tx: Connection, after: UUID, limit: int) -> list[UUID]:
    query = STALE_HIGHLIGHTS.where(highlights.c.id > after).order_by(highlights.c.id).limit(limit)
    return list(tx.execute(query).scalars())
