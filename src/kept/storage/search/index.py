"""Writing the search index, always in the transaction of what it indexes. Services call this; `find.py` asks the index.

The number comes first and the words are read after it: it locks the row that a change marks as stale
(storage/migrations/triggers.py), so that on PostgreSQL a change is either seen here or marked again after us.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Column, Executable, Table, bindparam, exists, func, literal, or_, select, update

from kept.content.search.words import WORDS_VERSION
from kept.domain.highlight import Highlight
from kept.domain.item import Item
from kept.storage.database.dialects import Query, by_dialect, insert_for, upsert
from kept.storage.database.engine import Connection
from kept.storage.highlights import HIGHLIGHT_COLUMNS, highlight_of_columns
from kept.storage.items import list_tags
from kept.storage.media import hold_free
from kept.storage.search.fields import (
    CardText,
    WordIndex,
    words_of_card,
    words_of_highlight,
    words_of_item,
    words_of_page,
)
from kept.storage.search.port import port_of
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
NUMBERS: Final = (search_items, search_media, search_highlights)


def number_item(dialect: str) -> Executable:
    """Gives an item its number, the same one each time."""
    values = {"item_id": bindparam("item_id"), "version": WORDS_VERSION}
    insert = insert_for(dialect, search_items).values(values)
    numbered: Executable = settle_version(insert, "item_id").returning(search_items.c.no)
    return numbered


def number_media(dialect: str) -> Executable:
    """The same of a media; none if it is gone."""
    wanted = select(media.c.id, literal(WORDS_VERSION)).where(media.c.id == bindparam("media_id"))
    insert = insert_for(dialect, search_media).from_select(["media_id", "version"], wanted)
    numbered: Executable = settle_version(insert, "media_id").returning(search_media.c.no)
    return numbered


def settle_version(insert: Any, key: str) -> Any:
    return insert.on_conflict_do_update(index_elements=[key], set_={"version": WORDS_VERSION})


# Those of every save, and of every ingestion.
NUMBER_ITEM: Final = by_dialect(number_item)
NUMBER_MEDIA: Final = by_dialect(number_media)
CARD_COLUMNS: Final = (media.c.title, media.c.excerpt, media.c.byline, media.c.site_name, media.c.canonical_url)
READ_CARD: Final = select(*CARD_COLUMNS).where(media.c.id == bindparam("media_id"))
READ_TEXT: Final = (
    select(fragments.c.canonical_text, documents.c.running_text)
    .outerjoin(documents, documents.c.media_id == fragments.c.media_id)
    .where(fragments.c.media_id == bindparam("media_id"))
)


def put_words(tx: Connection, index: WordIndex, no: int, words: Sequence[str]) -> None:
    port = port_of(tx.dialect.name)
    tx.execute(port.PUT[index], port.values_of(index, no, words))


def index_item(tx: Connection, item: Item, tags: Iterable[str] = ()) -> None:
    """What a library says of a page; all of it, whatever changed."""
    no = tx.execute(NUMBER_ITEM[tx.dialect.name], {"item_id": item.id}).scalar_one()
    put_words(tx, WordIndex.ITEM, no, words_of(item, tags))


def index_items(tx: Connection, item_ids: Sequence[UUID]) -> None:
    """The same, of items as they stand."""
    if not item_ids:
        return
    numbers = number_items(tx, item_ids)
    found = [Item(*row) for row in tx.execute(select(items).where(items.c.id.in_(numbers)))]
    named = list_tags(tx, list(numbers))
    port = port_of(tx.dialect.name)
    rows = [port.values_of(WordIndex.ITEM, numbers[item.id], words_of(item, named.get(item.id, ()))) for item in found]
    if rows:
        tx.execute(port.PUT[WordIndex.ITEM], rows)


def number_items(tx: Connection, item_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Of those that are still there; in one order, so that two who do this cannot wait for each other."""
    wanted = select(items.c.id, literal(WORDS_VERSION)).where(items.c.id.in_(item_ids)).order_by(items.c.id)
    insert = upsert(tx, search_items).from_select(["item_id", "version"], wanted)
    numbered = settle_version(insert, "item_id").returning(search_items.c.item_id, search_items.c.no)
    return {row.item_id: row.no for row in tx.execute(numbered)}


def number_highlights(tx: Connection, highlight_ids: Sequence[UUID]) -> dict[UUID, int]:
    if not highlight_ids:
        return {}
    put = settle_version(upsert(tx, search_highlights), "highlight_id")
    tx.execute(put, [{"highlight_id": highlight_id, "version": WORDS_VERSION} for highlight_id in highlight_ids])
    key = search_highlights.c.highlight_id
    query = select(key, search_highlights.c.no).where(key.in_(highlight_ids))
    return {row.highlight_id: row.no for row in tx.execute(query)}


def words_of(item: Item, tags: Iterable[str]) -> tuple[str, ...]:
    return words_of_item(item.url, item.title, item.excerpt, item.note, tags)


def index_card(tx: Connection, media_id: UUID, card: CardText) -> None:
    """What a page says of itself, where there is no article yet."""
    no = tx.scalar(NUMBER_MEDIA[tx.dialect.name], {"media_id": media_id})
    if no is not None:
        put_words(tx, WordIndex.CARD, no, words_of_card(card))


def index_page(tx: Connection, media_id: UUID) -> None:
    """The card and the article, if there is one, as they stand."""
    no = tx.scalar(NUMBER_MEDIA[tx.dialect.name], {"media_id": media_id})
    if no is None:  # merged away meanwhile
        return
    card = words_of_card(CardText(*tx.execute(READ_CARD, {"media_id": media_id}).one()))
    found = tx.execute(READ_TEXT, {"media_id": media_id}).one_or_none()
    put_words(tx, WordIndex.CARD, no, card)
    if found is not None:
        text, running_text = found
        put_words(tx, WordIndex.PAGE, no, words_of_page(card, text, running_text))


def index_highlights(tx: Connection, found: Sequence[Highlight]) -> None:
    """What one person marked, and noted of it."""
    numbers = number_highlights(tx, [highlight.id for highlight in found])
    port, index = port_of(tx.dialect.name), WordIndex.HIGHLIGHT
    words = {highlight.id: words_of_highlight(highlight.quote.exact, highlight.note) for highlight in found}
    rows = [port.values_of(index, numbers[key], said) for key, said in words.items()]
    if rows:
        tx.execute(port.PUT[index], rows)


def index_highlights_anew(tx: Connection, highlight_ids: Sequence[UUID]) -> None:
    """The same, of highlights as they stand."""
    query = select(*HIGHLIGHT_COLUMNS).where(highlights.c.id.in_(highlight_ids))
    index_highlights(tx, [highlight_of_columns(row) for row in tx.execute(query)])


def index_free_pages(tx: Connection, media_ids: Sequence[UUID]) -> None:
    """But for those that somebody changes right now: they index them too, and would wait for us while we wait for
    them."""
    for media_id in hold_free(tx, media_ids):
        index_page(tx, media_id)


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


def list_marked(tx: Connection, limit: int) -> tuple[list[UUID], list[UUID]]:
    """Items and media whose number says that their words are old: quickly told, however many there are in all."""
    marked = (
        select(key).where(numbers.c.version < WORDS_VERSION).limit(limit)
        for numbers, key in ((search_items, search_items.c.item_id), (search_media, search_media.c.media_id))
    )
    item_ids, media_ids = (list(tx.execute(query).scalars()) for query in marked)
    return item_ids, media_ids
