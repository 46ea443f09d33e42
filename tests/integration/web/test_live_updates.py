"""Server-sent events: one poller for all who listen, and each hears of their own libraries alone."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import aiohttp
import pytest

from kept.services.live_updates.feed import EventFeed
from kept.storage import events, tables
from kept.storage.database.engine import Database
from support.builders import rows
from support.fixtures.transactions import writing
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "lists follow other tabs, the API and members")


@asynccontextmanager
async def listening(person: Person, query: str = "", **headers: str) -> AsyncIterator[aiohttp.StreamReader]:
    sent = {"Authorization": f"Bearer {person.token}", **headers}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{person.address}/events{query}", headers=sent) as response,
    ):
        assert response.content_type == "text/event-stream"
        assert await response.content.readline() == b"retry: 2000\n"
        yield response.content


async def next_event(stream: aiohttp.StreamReader) -> dict[str, Any]:
    """The next event with its id; comments and empty lines are passed over."""
    event: dict[str, Any] = {}
    async with asyncio.timeout(20):
        while True:
            line = (await stream.readline()).decode().rstrip("\n")
            name, _, value = line.partition(": ")
            if name in {"id", "event", "data"}:
                event[name] = value
            if not line and "data" in event:
                return {"id": int(event["id"]), "event": event["event"], **json.loads(event["data"])}


def put_item(running: RunningKept, person: Person) -> tuple[UUID, UUID]:
    assert person.user is not None
    with writing(running.kept.database) as tx:
        query = tables.libraries.select().where(tables.libraries.c.owner_id == person.user.id)
        library_id: UUID = tx.execute(query).mappings().one()["id"]
        media_id = rows.insert_media(tx)
        return rows.insert_item(tx, library_id, media_id), media_id


def tell(running: RunningKept, media_id: UUID, kind: str = "card") -> None:
    with writing(running.kept.database) as tx:
        events.publish_event(tx, media_id, kind, running.kept.now())


async def test_a_listener_hears_what_changes_and_nobody_else_does(running: RunningKept) -> None:
    ann, bob = await running.make_person("ann"), await running.make_person("bob")
    (anns, of_ann), (bobs, of_bob) = put_item(running, ann), put_item(running, bob)
    async with listening(ann) as to_ann, listening(bob) as to_bob:
        tell(running, of_ann)
        tell(running, of_bob)
        heard = [(await next_event(stream))["item"] for stream in (to_ann, to_bob)]
    assert heard == [str(anns), str(bobs)]


async def test_who_comes_back_hears_what_they_missed(running: RunningKept) -> None:
    ann = await running.make_person("ann")
    _, media_id = put_item(running, ann)
    tell(running, media_id, "first")
    tell(running, media_id, "second")
    latest = await running.kept.feed.find_latest()
    async with listening(ann, f"?after={latest - 1}") as stream:
        assert (await next_event(stream))["kind"] == "second"
        tell(running, media_id, "third")
        assert (await next_event(stream))["kind"] == "third"
    async with listening(ann, "?after=0", **{"Last-Event-ID": str(latest)}) as stream:
        assert (await next_event(stream))["kind"] == "third"


async def test_who_was_away_too_long_is_told_to_look_again(running: RunningKept) -> None:
    ann = await running.make_person("ann")
    _, media_id = put_item(running, ann)
    for kind in ("first", "second"):
        tell(running, media_id, kind)
    with writing(running.kept.database) as tx:
        tx.execute(tables.events.delete().where(tables.events.c.id == 1))
    async with listening(ann, "?after=1") as stream:
        assert (await next_event(stream))["event"] == "stale"


async def test_a_server_that_stops_does_not_wait_for_listeners(running: RunningKept) -> None:
    ann = await running.make_person("ann")
    async with listening(ann) as stream:
        running.kept.feed.close()
        async with asyncio.timeout(5):
            await stream.read()


async def test_one_poller_serves_all_and_rests_when_nobody_listens(database: Database) -> None:
    feed = EventFeed(database)
    with writing(database) as tx:
        user_id, library_id = rows.insert_user(tx)
        media_id = rows.insert_media(tx)
        rows.insert_item(tx, library_id, media_id)
    async with feed.listen(user_id) as first, feed.listen(user_id) as second:
        poller = feed._poller
        with writing(database) as tx:
            events.publish_event(tx, media_id, "card", rows.AT)
        heard = [await listener.next(seconds=20) for listener in (first, second)]
        assert feed._poller is poller
    assert [event.kind for event in heard if event] == ["card", "card"]
    assert feed._poller is None


def test_old_events_are_forgotten_but_for_the_newest(database: Database) -> None:
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        media_id = rows.insert_media(tx)
        rows.insert_item(tx, library_id, media_id)
        for kind in ("a", "b", "c"):
            events.publish_event(tx, media_id, kind, rows.AT)
        events.forget_before(tx, rows.AT.replace(year=2027))
        left = events.list_after(tx, 0, limit=10)
    assert [event.kind for event in left] == ["c"]
