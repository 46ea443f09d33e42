"""Writing the search index, always in the transaction of what it indexes. Services call this; `find.py` asks the index.

The number comes first and the words are read after it: it locks the row that a change marks as stale
(storage/migrations/triggers.py), so that on PostgreSQL a change is either seen here or marked again after us.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Uuid, bindparam, exists, func, literal, or_, select, update

from kept.content.search.words import WORDS_VERSION
from kept.domain.highlight import Highlight
from kept.domain.item import Item
from kept.storage.database.dialects import Query, by_dialect, insert_for
from kept.storage.database.engine import Connection
from kept.storage.highlights import HIGHLIGHT_COLUMNS, highlight_of_columns
from kept.storage.items import list_tags
from kept.storage.media import hold_free
from kept.storage.search.dialects import dialect_of
from kept.storage.search.fields import (
    CardText,
    WordIndex,
    words_of_card,
    words_of_highlight,
    words_of_item,
    words_of_page,
)
from kept.storage.tables import (
    documents,
    fragments,
    highlights,
    items,
    media,
    search_highlights,
    search_items,
    search_media,
)

# Of everything when `kept reindex` begins: where it is still there, one was broken off.
STALE_VERSION: Final = 0
# What has numbers, where they are given, and by which key.
NUMBERED: Final = {
    WordIndex.ITEM: (items, search_items, search_items.c.item_id),
    WordIndex.PAGE: (media, search_media, search_media.c.media_id),
    WordIndex.HIGHLIGHT: (highlights, search_highlights, search_highlights.c.highlight_id),
}
CARD_COLUMNS: Final = (media.c.title, media.c.excerpt, media.c.byline, media.c.site_name, media.c.canonical_url)
READ_CARD: Final = select(*CARD_COLUMNS).where(media.c.id == bindparam("media_id"))
READ_TEXT: Final = (
    select(fragments.c.canonical_text, documents.c.running_text)
    .outerjoin(documents, documents.c.media_id == fragments.c.media_id)
    .where(fragments.c.media_id == bindparam("media_id"))
)


def number_statement(dialect: str, index: WordIndex) -> Any:
    """In one order, so that two who do this cannot wait for each other."""
    table, numbers, key = NUMBERED[index]
    is_wanted = table.c.id.in_(bindparam("ids", type_=Uuid(), expanding=True))
    wanted = select(table.c.id, literal(WORDS_VERSION)).where(is_wanted).order_by(table.c.id)
    insert = insert_for(dialect, numbers).from_select([key.name, "version"], wanted)
    numbered = insert.on_conflict_do_update(index_elements=[key], set_={"version": WORDS_VERSION})
    return numbered.returning(key, numbers.c.no)


# Made once: every save and every ingestion uses them.
NUMBER: Final = by_dialect(lambda dialect: {index: number_statement(dialect, index) for index in NUMBERED})


def give_numbers(tx: Connection, index: WordIndex, ids: Sequence[UUID]) -> dict[UUID, int]:
    """Of those that are still there; each has the same number each time."""
    rows = tx.execute(NUMBER[tx.dialect.name][index], {"ids": ids}) if ids else ()
    return {row[0]: row[1] for row in rows}


def put_words(tx: Connection, index: WordIndex, words: Mapping[int, Sequence[str]]) -> None:
    """By their numbers."""
    dialect = dialect_of(tx)
    if words:
        tx.execute(dialect.put[index], [dialect.make_row(index, no, said) for no, said in words.items()])


def index_item(tx: Connection, item: Item, tags: Iterable[str] = ()) -> None:
    """What a library says of a page; all of it, whatever changed."""
    numbers = give_numbers(tx, WordIndex.ITEM, [item.id])
    put_words(tx, WordIndex.ITEM, {numbers[item.id]: words_of(item, tags)})


def index_items(tx: Connection, item_ids: Sequence[UUID]) -> None:
    """The same, of items as they stand."""
    numbers = give_numbers(tx, WordIndex.ITEM, item_ids)
    if numbers:
        named = list_tags(tx, list(numbers))
        found = [Item(*row) for row in tx.execute(select(items).where(items.c.id.in_(numbers)))]
        put_words(tx, WordIndex.ITEM, {numbers[item.id]: words_of(item, named.get(item.id, ())) for item in found})


def words_of(item: Item, tags: Iterable[str]) -> tuple[str, ...]:
    return words_of_item(item.url, item.title, item.excerpt, item.note, tags)


def index_card(tx: Connection, media_id: UUID, card: CardText) -> None:
    """What a page says of itself, where there is no article yet."""
    for no in give_numbers(tx, WordIndex.PAGE, [media_id]).values():
        put_words(tx, WordIndex.CARD, {no: words_of_card(card)})


def index_page(tx: Connection, media_id: UUID) -> None:
    """The card and the article, if there is one, as they stand; nothing where the media was merged away meanwhile."""
    for no in give_numbers(tx, WordIndex.PAGE, [media_id]).values():
        card = words_of_card(CardText(*tx.execute(READ_CARD, {"media_id": media_id}).one()))
        put_words(tx, WordIndex.CARD, {no: card})
        for text, running_text in tx.execute(READ_TEXT, {"media_id": media_id}):
            put_words(tx, WordIndex.PAGE, {no: words_of_page(card, text, running_text)})


def index_free_pages(tx: Connection, media_ids: Sequence[UUID]) -> None:
    """But for those that somebody changes right now: they index them too, and would wait for us while we wait for
    them."""
    for media_id in hold_free(tx, media_ids):
        index_page(tx, media_id)


def index_highlights(tx: Connection, found: Sequence[Highlight]) -> None:
    """What one person marked, and noted of it."""
    numbers = give_numbers(tx, WordIndex.HIGHLIGHT, [marked.id for marked in found])
    words = {numbers[marked.id]: words_of_highlight(marked.quote.exact, marked.note) for marked in found}
    put_words(tx, WordIndex.HIGHLIGHT, words)


def index_highlights_anew(tx: Connection, highlight_ids: Sequence[UUID]) -> None:
    """The same, of highlights as they stand."""
    query = select(*HIGHLIGHT_COLUMNS).where(highlights.c.id.in_(highlight_ids))
    index_highlights(tx, [highlight_of_columns(row) for row in tx.execute(query)])


# --- making it anew -------------------------------------------------------------------------------------------


def was_broken_off(tx: Connection) -> bool:
    """Whether some of what was marked is still to be done."""
    marked = [exists().where(numbers.c.version == STALE_VERSION) for _, numbers, _ in NUMBERED.values()]
    return bool(tx.execute(select(or_(*marked))).scalar_one())


def mark_all_stale(tx: Connection) -> None:
    """Everything stays findable as it is, until its turn comes."""
    for _, numbers, _ in NUMBERED.values():
        tx.execute(update(numbers).values(version=STALE_VERSION))


def select_stale(index: WordIndex) -> Query:
    """Without a number, or with words made the old way."""
    table, numbers, key = NUMBERED[index]
    is_stale = or_(numbers.c.version.is_(None), numbers.c.version < WORDS_VERSION)
    return select(table.c.id).outerjoin(numbers, key == table.c.id).where(is_stale)


def count_stale(tx: Connection) -> int:
    counts = (select(func.count()).select_from(select_stale(index).subquery()) for index in NUMBERED)
    return sum([tx.execute(count).scalar_one() for count in counts])


def list_stale(tx: Connection, index: WordIndex, after: UUID, limit: int) -> list[UUID]:
    """The ids of items, media or highlights, in their order."""
    key = NUMBERED[index][0].c.id
    return list(tx.execute(select_stale(index).where(key > after).order_by(key).limit(limit)).scalars())


def list_marked(tx: Connection, limit: int) -> tuple[list[UUID], list[UUID]]:
    """Items and media whose number says that their words are old: quickly told, however many there are in all."""
    item_ids, media_ids = (
        list(tx.execute(select(key).where(numbers.c.version < WORDS_VERSION).limit(limit)).scalars())
        for _, numbers, key in (NUMBERED[WordIndex.ITEM], NUMBERED[WordIndex.PAGE])
    )
    return item_ids, media_ids
