"""Search finds pages by what one marked in them and noted of it, and nobody else does."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text

from kept.clock import utc_now
from kept.domain.highlight import HighlightFilter, NewHighlight, parse_quote
from kept.domain.paging import PageRequest
from kept.services.highlights.highlights import remove_highlight
from kept.services.highlights.lists import list_highlights
from kept.services.maintenance.search_index import reindex, start_reindex
from kept.storage import highlights
from kept.storage.search import scope
from support.builders.highlights import bring, mark
from support.builders.libraries import Owner
from support.fixtures.transactions import writing

pytestmark = pytest.mark.requirement("Kept", "highlights are found by search, by their person alone")

HARBOUR = "Nobody who walked along the harbour that morning thought of the storm to come.\nThe boats lay still."
BREAD = "A good sourdough needs time.\nKneading bread by hand takes ten minutes and a storm of patience."


async def test_the_words_of_a_note_find_the_article(owner: Owner, other_owner: Owner) -> None:
    card = await owner.keep("https://example.org/harbour", "Calm", HARBOUR)
    theirs = await other_owner.save("https://example.org/harbour")
    await mark(owner, card, "the storm to come", note="Über den Wolken, foreshadowing")
    for query in ("foreshadowing", "uber wolken", '"den wolken"', "foresh"):
        assert await owner.found(query) == [card.item.id], query
        assert await other_owner.found(query) == [], query
    assert await other_owner.found("storm") == [theirs.item.id]


async def test_words_may_be_divided_between_the_note_and_the_page(owner: Owner) -> None:
    card = await owner.keep("https://example.org/harbour", "Calm", HARBOUR)
    await owner.keep("https://example.org/bread", "On baking", BREAD)
    await mark(owner, card, "boats", note="foreshadowing")
    assert await owner.found("foreshadowing harbour") == [card.item.id]
    assert await owner.found("foreshadowing sourdough ") == []


async def test_words_may_be_divided_between_the_note_and_the_library(owner: Owner) -> None:
    card = await owner.save("https://example.org/harbour", note="for the talk on ships")
    other = await owner.save("https://example.org/other", note="for the talk on bread")
    bring(owner, card, NewHighlight(parse_quote("along the quay"), note="foreshadowing, talk of ships"))
    assert await owner.found("foreshadowing ships quay ") == [card.item.id]
    assert await owner.found("foreshadowing bread ") == []
    assert await owner.found("talk ships ") == [card.item.id]
    assert await owner.found("talk bread ") == [other.item.id]


async def test_a_tag_narrows_what_highlights_find(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "FEW", 1)  # as in a large library: what has the tag is listed first
    monkeypatch.setattr(scope, "FEW_BY_ROOT", 0)
    harbour = await owner.keep("https://example.org/harbour", "Calm", HARBOUR, tags=["sea"])
    bread = await owner.keep("https://example.org/bread", "On baking", BREAD)
    for card, quote in ((harbour, "boats"), (bread, "sourdough")):
        await mark(owner, card, quote, note="foreshadowing")
    assert set(await owner.found("foreshadowing ")) == {harbour.item.id, bread.item.id}
    assert await owner.found("foreshadowing tag:sea ") == [harbour.item.id]
    assert await owner.found("foreshadowing storm tag:sea ") == [harbour.item.id]


async def test_in_highlights_looks_there_alone(owner: Owner, other_owner: Owner) -> None:
    harbour = await owner.keep("https://example.org/harbour", "Storm", HARBOUR)
    bread = await owner.keep("https://example.org/bread", "On baking", BREAD)
    plain = await owner.keep("https://example.org/plain", "Storm", "A storm.")
    theirs = await other_owner.save("https://example.org/plain")
    await mark(owner, harbour, "boats lay still", note="quiet")
    await mark(owner, bread, "a storm of patience")
    await mark(other_owner, theirs, "A storm.")
    assert await owner.found("in:highlights storm ") == [bread.item.id]
    assert await owner.found("storm in:highlights") == [bread.item.id]
    assert await owner.found("in:highlights boats quiet ") == [harbour.item.id]
    assert await owner.found("in:highlights boats patience ") == []
    assert set(await owner.found("in:highlights")) == {harbour.item.id, bread.item.id}
    assert await owner.found("-in:highlights") == [plain.item.id]
    assert await owner.found("storm -in:highlights") == [plain.item.id]
    assert await owner.found("in:highlights -patience") == [harbour.item.id]
    assert await owner.found("in:highlights storm site:example.com") == []
    assert await other_owner.found("in:highlights storm ") == [theirs.item.id]


async def test_a_result_shows_the_passage_that_was_marked(owner: Owner) -> None:
    card = await owner.keep("https://example.org/harbour", "Calm", HARBOUR)
    await mark(owner, card, "thought of the storm", note="a foreshadowing <b>")
    [found] = (await owner.search("foreshadowing")).results
    assert found.snippet == "a <mark>foreshadowing</mark> &lt;b&gt;"
    [found] = (await owner.search("in:highlights storm ")).results
    assert found.snippet == "thought of the <mark>storm</mark>"


async def test_an_unwanted_word_in_a_highlight_leaves_the_page_out(owner: Owner, other_owner: Owner) -> None:
    card = await owner.keep("https://example.org/harbour", "Calm", HARBOUR)
    theirs = await other_owner.save("https://example.org/harbour")
    await mark(owner, card, "boats", note="boring")
    assert await owner.found("storm -boring") == []
    assert await owner.found("-boring") == []
    assert await other_owner.found("storm -boring") == [theirs.item.id]
    assert await other_owner.found("-boring") == [theirs.item.id]


async def test_a_page_with_many_highlights_does_not_hide_another(owner: Owner) -> None:
    older = await owner.save("https://example.org/older")
    newer = await owner.save("https://example.org/newer")
    bring(owner, older, NewHighlight(parse_quote("the storm")))
    bring(owner, newer, *(NewHighlight(parse_quote(f"storm number {number}")) for number in range(300)))
    assert set(await owner.found("in:highlights storm ")) == {older.item.id, newer.item.id}


async def test_statistics_from_when_there_was_nothing_yet_make_no_search_slow(owner: Owner) -> None:
    """PostgreSQL took twelve minutes: it turned joins round, and went through all highlights for each of them."""
    with owner.database.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"ALTER DATABASE {connection.engine.url.database} SET statement_timeout = '60s'"))
    owner.database.writer.dispose()
    card = await owner.save("https://example.org/harbour")
    bring(owner, card, *(NewHighlight(parse_quote(f"storm number {number}")) for number in range(300)))
    assert await owner.found("in:highlights storm ") == [card.item.id]


async def test_a_removed_highlight_is_not_found_and_leaves_no_words(owner: Owner) -> None:
    card = await owner.keep("https://example.org/harbour", "Calm", HARBOUR)
    made = await mark(owner, card, "boats", note="foreshadowing")
    await owner.database.write(remove_highlight, owner.viewer, made.id, now=utc_now())
    assert await owner.found("foreshadowing") == []
    assert await owner.found("in:highlights") == []
    with writing(owner.database) as tx:
        highlights.forget_removed_before(tx, utc_now() + timedelta(seconds=1))
    assert await owner.found("foreshadowing") == []


async def test_on_this_day_goes_by_the_readers_day(owner: Owner) -> None:
    card = await owner.keep("https://example.org/harbour", "Calm", HARBOUR)
    early, late = await mark(owner, card, "storm"), await mark(owner, card, "boats")
    with writing(owner.database) as tx:
        highlights.update_highlight(tx, early.id, created_at=datetime(2024, 3, 1, 1, tzinfo=UTC))
        highlights.update_highlight(tx, late.id, created_at=datetime(2025, 3, 1, 23, tzinfo=UTC))

    async def found(day: int, zone: tzinfo) -> list[UUID]:
        wanted = HighlightFilter(on_day=date(2026, 3, day), zone=zone)
        page = await owner.database.read(list_highlights, owner.viewer, wanted, PageRequest(None, 30))
        return [entry.highlight.id for entry in page.entries]

    assert await found(1, UTC) == [late.id, early.id]
    assert await found(1, ZoneInfo("Asia/Tokyo")) == [early.id]
    assert await found(2, ZoneInfo("Asia/Tokyo")) == [late.id]
    assert await found(1, ZoneInfo("America/Lima")) == [late.id]


async def test_reindexing_makes_the_words_of_highlights_anew(owner: Owner) -> None:
    card = await owner.keep("https://example.org/harbour", "Calm", HARBOUR)
    await mark(owner, card, "boats", note="foreshadowing")
    assert await owner.database.write(start_reindex) == 3  # the item, the page, the highlight
    assert await reindex(owner.database) == 3
    assert await owner.found("foreshadowing") == [card.item.id]
