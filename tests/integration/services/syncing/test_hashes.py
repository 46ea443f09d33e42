"""Whether URLs are saved, asked by their hashes."""

from sqlalchemy import text

from kept.storage import sync
from kept.storage.database.engine import Database
from kept.storage.tables import items, url_hashes
from support.builders.libraries import Owner
from support.builders.many_items import fill_with_items
from support.fixtures.transactions import reading, writing


async def test_hashes_are_looked_up_one_by_one_before_the_database_has_statistics(
    database: Database, owner: Owner
) -> None:
    fill_with_items(database, owner.viewer.user_id, 300)
    with writing(database) as tx:
        ids = tx.execute(items.select()).all()
        rows = [(row.id, f"{number:02}{row.id.hex}") for row in ids for number in range(20)]
        values = [{"item_id": item_id, "library_id": owner.library_id, "hash": one} for item_id, one in rows]
        tx.execute(url_hashes.insert(), values)
    with reading(database) as tx:
        query = sync.select_hashed(owner.library_id, [one for _, one in rows[:20]])
        spelt = query.compile(tx.engine, compile_kwargs={"literal_binds": True})
        asked = "EXPLAIN QUERY PLAN" if tx.dialect.name == "sqlite" else "EXPLAIN"
        plan = "\n".join(str(row) for row in tx.execute(text(f"{asked} {spelt}")))
    assert "ix_url_hashes" in plan
    assert "Filter" not in plan
    assert "hash=?" in plan or "hash = ANY" in plan
