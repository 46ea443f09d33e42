"""Times are shown in the browser's time zone and locale; without scripts in UTC, and marked as such."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from playwright.async_api import Browser, expect

from kept.storage import events, tables
from support.builders.demo import PAGES, stock
from support.fixtures.transactions import writing
from support.servers.desk import sit_down
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "times in the reader's time zone")

LATE_EVENING = datetime(2026, 1, 31, 23, 30, tzinfo=UTC)  # 1 February in Tokyo
EARLY_MORNING = datetime(2026, 2, 1, 2, 0, tzinfo=UTC)  # 31 January in New York


async def prepare_item(running: RunningKept, saved_at: datetime | None = None) -> UUID:
    ann = running.make_user("ann")
    [item_id] = await stock(running.kept.database, running.kept.blobs, ann.id, PAGES[:1])
    if saved_at is not None:
        change_saved_at(running, item_id, saved_at)
    return item_id


def change_saved_at(running: RunningKept, item_id: UUID, saved_at: datetime) -> None:
    items = tables.items
    with writing(running.kept.database) as tx:
        tx.execute(items.update().where(items.c.id == item_id).values(created_at=saved_at))
        media_id: UUID = tx.execute(items.select().where(items.c.id == item_id)).mappings().one()["media_id"]
        events.publish_event(tx, media_id, "card", running.kept.now())


@pytest.mark.parametrize(
    ("zone", "saved_at", "short", "long"),
    [
        ("Asia/Tokyo", LATE_EVENING, "1 Feb 2026", "1 February 2026"),
        ("America/New_York", EARLY_MORNING, "31 Jan 2026", "31 January 2026"),
    ],
)
async def test_a_date_is_the_readers(
    running: RunningKept, browser: Browser, zone: str, saved_at: datetime, short: str, long: str
) -> None:
    item_id = await prepare_item(running, saved_at)
    async with sit_down(browser, running.address, timezone_id=zone, locale="en-GB") as desk:
        await desk.sign_in("ann")
        await expect(desk.page.locator(".card time")).to_have_text(short)
        await desk.go(f"/read/{item_id}")
        await expect(desk.page.locator(".article-footer time")).to_have_text(long)


async def test_the_save_history_is_in_the_readers_time_zone(running: RunningKept, browser: Browser) -> None:
    item_id = await prepare_item(running)
    async with sit_down(browser, running.address, timezone_id="Asia/Tokyo", locale="en-GB") as desk:
        await desk.sign_in("ann")
        await desk.go_ready(f"/history/{item_id}")
        times = await desk.page.locator(".timeline time").all()
        assert len(times) > 2
        for time in times:
            written = datetime.fromisoformat(await time.get_attribute("datetime") or "")
            in_tokyo = written.astimezone(timezone(timedelta(hours=9)))
            await expect(time).to_contain_text(f"{in_tokyo:%H:%M:%S}")
            await expect(time).to_have_attribute("title", f"{in_tokyo.day} {in_tokyo:%B %Y at %H:%M:%S} GMT+9")


async def test_a_card_inserted_live_is_in_the_readers_time_zone(running: RunningKept, browser: Browser) -> None:
    item_id = await prepare_item(running)
    async with sit_down(browser, running.address, timezone_id="Asia/Tokyo", locale="en-GB") as desk:
        await desk.sign_in("ann")
        shown = desk.page.locator(".card time")
        await expect(shown).to_contain_text("minutes ago")
        await expect(desk.page.locator("#cards[data-live]")).to_be_attached()
        change_saved_at(running, item_id, LATE_EVENING)
        await expect(shown).to_have_text("1 Feb 2026")


async def test_the_locale_is_the_browsers(running: RunningKept, browser: Browser) -> None:
    await prepare_item(running, LATE_EVENING)
    async with sit_down(browser, running.address, timezone_id="Asia/Tokyo", locale="de-DE") as desk:
        await desk.sign_in("ann")
        shown = desk.page.locator(".card time")
        await expect(shown).to_have_text("01.02.2026")
        await expect(shown).to_have_attribute("lang", "de-DE")


async def test_without_scripts_times_are_in_utc_and_marked_as_such(running: RunningKept, browser: Browser) -> None:
    item_id = await prepare_item(running, LATE_EVENING)
    options = {"timezone_id": "Asia/Tokyo", "locale": "en-GB", "java_script_enabled": False}
    async with sit_down(browser, running.address, **options) as desk:
        await desk.sign_in("ann")
        shown = desk.page.locator(".card time")
        await expect(shown).to_have_text("31 Jan 2026")
        await expect(shown).to_have_attribute("title", "31 January 2026, 23:30:00 UTC")
        await desk.go(f"/history/{item_id}")
        await expect(desk.page.locator(".timeline time").first).to_contain_text("UTC")
