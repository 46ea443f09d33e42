"""Reading statistics: what each person reads is counted for that person alone, on both databases."""

from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from kept.domain.item import ReadingState
from kept.domain.statistics import Tally, Waiting
from kept.services.reading.statistics import read_statistics
from kept.storage import items, tables
from kept.storage.database.engine import Connection
from support.builders.libraries import Owner
from support.builders.rows import insert_item, insert_media
from support.fixtures.transactions import writing

pytestmark = pytest.mark.requirement("Kept", "reading statistics, one's own only")

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


def put_page(tx: Connection, owner: Owner, number: int, *, site: str | None = None, words: int = 1000) -> UUID:
    url = f"https://news.example/{number}"
    media_id = insert_media(
        tx, source_url=url, canonical_url=url, site_name=site, word_count=words, processing_status="ready_for_reading"
    )
    item_id = insert_item(tx, owner.library_id, media_id)
    added = tables.items.update().where(tables.items.c.id == item_id)
    tx.execute(added.values(added_by=owner.viewer.user_id, created_at=NOW - timedelta(days=number)))
    return media_id


async def test_what_was_read_and_saved_is_counted_for_its_reader(owner: Owner, other_owner: Owner) -> None:
    with writing(owner.database) as tx:
        pages = [put_page(tx, owner, number, site="Blog" if number < 2 else None) for number in range(5)]
        for number, media_id in enumerate(pages[:3]):
            state = ReadingState(read_at=NOW - timedelta(days=number))
            items.put_reading_state(tx, owner.viewer.user_id, media_id, state, NOW)
        items.put_reading_state(tx, owner.viewer.user_id, pages[3], ReadingState(is_archived=True), NOW)
    found = await owner.database.read(read_statistics, owner.viewer, zone=UTC, now=NOW)
    in_nepal = await owner.database.read(read_statistics, owner.viewer, zone=ZoneInfo("Asia/Kathmandu"), now=NOW)
    assert in_nepal.weeks == found.weeks
    assert found.weeks[0].tally == Tally(articles=3, words=3000, saved=3)
    assert found.weeks[1].tally == Tally(saved=2)
    assert found.months[0].tally == Tally(articles=3, words=3000, saved=4)
    assert (found.streak.current, found.streak.longest) == (3, 3)
    assert found.sites == [("Blog", 2), ("news.example", 1)]
    assert found.waiting == Waiting(1, 1000)
    theirs = await other_owner.database.read(read_statistics, other_owner.viewer, zone=UTC, now=NOW)
    assert (theirs.months[0].tally, theirs.sites, theirs.waiting) == (Tally(), [], Waiting(0, 0))
