"""Writing the search index, always in the transaction of what it indexes. Services call this; `search.py` asks."""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import bindparam, exists, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from kept.content.search_words import WORDS_VERSION
from kept.domain.item import Item
from kept.storage import search_postgresql, search_sqlite
from kept.storage.database import AsyncConnection
from kept.storage.items import item_from, list_tags
from kept.storage.search_fields import WordIndex, words_of_card, words_of_item, words_of_page
from kept.storage.tables import fragments, items, media, search_items, search_media

STALE_VERSION: Final = 0


def number_statement(dialect: Any, table: Any, key: str) -> Any:
    """Gives a row its number, the same one each time."""
    insert = dialect.insert(table).values({key: bindparam(key), "version": WORDS_VERSION})
    return insert.on_conflict_do_update(index_elements=[key], set_={"version": WORDS_VERSION}).returning(table.c.no)


# Built once: building a statement takes longer than SQLite takes to run it.
NUMBER_ITEM: Final = {
    "sqlite": number_statement(sqlite, search_items, "item_id"),
    "postgresql": number_statement(postgresql, search_items, "item_id"),
}
NUMBER_MEDIA: Final = {
    "sqlite": number_statement(sqlite, search_media, "media_id"),
    "postgresql": number_statement(postgresql, search_media, "media_id"),
}
READ_CARD: Final = select(
    media.c.title, media.c.excerpt, media.c.byline, media.c.site_name, media.c.canonical_url
).where(media.c.id == bindparam("media_id"))
READ_TEXT: Final = select(fragments.c.canonical_text).where(fragments.c.media_id == bindparam("media_id"))
READ_ITEMS: Final = select(items).where(items.c.id.in_(bindparam("item_ids", expanding=True)))


async def put_words(tx: AsyncConnection, index: WordIndex, no: int, words: Sequence[str]) -> None:
    port = search_sqlite if tx.dialect.name == "sqlite" else search_postgresql
    await tx.execute(port.PUT[index], port.values_of(index, no, words))


async def index_item(tx: AsyncConnection, item: Item, tags: Iterable[str] = ()) -> None:
    """What a library says of a page; all of it, whatever changed."""
    no = (await tx.execute(NUMBER_ITEM[tx.dialect.name], {"item_id": item.id})).scalar_one()
    await put_words(tx, WordIndex.ITEM, no, words_of_item(item.url, item.title, item.excerpt, item.note, tags))


async def index_items(tx: AsyncConnection, item_ids: Sequence[UUID]) -> None:
    """The same, of items as they stand."""
    rows = (await tx.execute(READ_ITEMS, {"item_ids": list(item_ids)})).mappings().all()
    named = await list_tags(tx, item_ids)
    for item in map(item_from, rows):
        await index_item(tx, item, named.get(item.id, ()))


async def index_card(
    tx: AsyncConnection,
    media_id: UUID,
    *,
    title: str | None,
    excerpt: str | None,
    byline: str | None,
    site_name: str | None,
    canonical_url: str | None,
) -> None:
    """What a page says of itself, where there is no article yet."""
    no = (await tx.execute(NUMBER_MEDIA[tx.dialect.name], {"media_id": media_id})).scalar_one()
    await put_words(tx, WordIndex.CARD, no, words_of_card(title, excerpt, byline, site_name, canonical_url))


async def index_page(tx: AsyncConnection, media_id: UUID) -> None:
    """The card and the article, if there is one, as they stand."""
    said = (await tx.execute(READ_CARD, {"media_id": media_id})).one_or_none()
    if said is None:  # merged away meanwhile
        return
    card = words_of_card(*said)
    text = (await tx.execute(READ_TEXT, {"media_id": media_id})).scalar_one_or_none()
    no = (await tx.execute(NUMBER_MEDIA[tx.dialect.name], {"media_id": media_id})).scalar_one()
    await put_words(tx, WordIndex.CARD, no, card)
    if text is not None:
        await put_words(tx, WordIndex.PAGE, no, words_of_page(card, text))


# --- making it anew -------------------------------------------------------------------------------------------


async def was_broken_off(tx: AsyncConnection) -> bool:
    """Whether some of what was marked is still to be done."""
    marked = [exists().where(table.c.version == STALE_VERSION) for table in (search_items, search_media)]
    return bool((await tx.execute(select(or_(*marked)))).scalar_one())


async def mark_all_stale(tx: AsyncConnection) -> None:
    """Everything stays findable as it is, until its turn comes."""
    for table in (search_items, search_media):
        await tx.execute(update(table).values(version=STALE_VERSION))


def select_stale(table: Any, numbers: Any, key: Any) -> Any:
    """Without a number, or with words made the old way."""
    is_stale = or_(numbers.c.version.is_(None), numbers.c.version < WORDS_VERSION)
    return select(table.c.id).outerjoin(numbers, key == table.c.id).where(is_stale)


STALE_ITEMS: Final = select_stale(items, search_items, search_items.c.item_id)
STALE_MEDIA: Final = select_stale(media, search_media, search_media.c.media_id)


async def count_stale(tx: AsyncConnection) -> int:
    stale = (select(func.count()).select_from(found.subquery()) for found in (STALE_ITEMS, STALE_MEDIA))
    return sum([(await tx.execute(count)).scalar_one() for count in stale])


async def list_stale_items(tx: AsyncConnection, after: UUID, limit: int) -> list[UUID]:
    query = STALE_ITEMS.where(items.c.id > after).order_by(items.c.id).limit(limit)
    return list((await tx.execute(query)).scalars())


async def list_stale_media(tx: AsyncConnection, after: UUID, limit: int) -> list[UUID]:
    query = STALE_MEDIA.where(media.c.id > after).order_by(media.c.id).limit(limit)
    return list((await tx.execute(query)).scalars())
