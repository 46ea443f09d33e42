from datetime import timedelta

import pytest
from sqlalchemy import func, select

from kept.clock import utc_now
from kept.services.maintenance.cleaning import tidy_up
from kept.storage import media, tables
from support.builders import rows
from support.fixtures.transactions import reading, writing
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("differs", "004 §12: raw HTML is not stored → it is for a day at most")


async def test_what_nobody_holds_and_what_nobody_fetched_goes(running: RunningKept) -> None:
    database, now = running.kept.database, utc_now()
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        held, fresh = rows.insert_media(tx), rows.insert_media(tx)
        rows.insert_item(tx, library_id, held)
        rows.insert_item(tx, library_id, fresh)
        rows.insert_media(tx)
        for media_id, age in ((held, timedelta(days=2)), (fresh, timedelta(minutes=5))):
            media.put_snapshot(tx, media_id, media.Snapshot("https://example.org/", {}, b"", now - age))
    await tidy_up(database, running.kept.blobs, now=now)
    with reading(database) as tx:
        assert tx.execute(select(func.count()).select_from(tables.media)).scalar_one() == 2
        assert tx.execute(select(tables.page_snapshots.c.media_id)).scalars().all() == [fresh]
