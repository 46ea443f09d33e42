"""What becomes of highlights when the page changes under them: new copies, merges, articles that come later."""

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select

from kept.clock import utc_now
from kept.domain.highlight import HighlightState, NewHighlight, parse_quote
from kept.domain.item import Card
from kept.services.maintenance.cleaning import remove_orphans
from kept.services.pages.identity import merge_media
from kept.services.pages.states import queue_anchoring
from kept.storage import articles, highlights, removals, tables
from support.builders.articles import ingest
from support.builders.highlights import anchor_waiting, bring, list_on, mark, post_highlight
from support.builders.libraries import Owner
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import reading, writing
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "highlights survive new copies, merges and clean-up")

OLD = "<p>Nobody thought of the storm that morning, for the sea was calm.</p><p>The boats lay still.</p>"
NEW = "<h2>Later</h2><p>An editor was here.</p>" + OLD.replace("The boats lay still.", "All the ships had left.")


async def save_ready(saving: RunningKept, person: Person, url: str, **fields: Any) -> Any:
    item = await person.save(url, wait=False, **fields)
    if item["processing_status"] == "pending":
        ingest(saving.kept.database, item["media_id"], OLD)
    return item


async def replace_copy(saving: RunningKept, person: Person, item: Any) -> str:
    """A new copy of the page, with other words; the id of its media."""
    copies = (await person.post(f"/api/v1/items/{item['id']}/recapture")).data
    [made] = [copy["media_id"] for copy in copies if copy["processing_status"] != "ready_for_reading"]
    ingest(saving.kept.database, made, NEW)
    return str(made)


async def list_mine(person: Person, media_id: str) -> dict[str, Any]:
    found = (await person.get(f"/api/v1/media/{media_id}/highlights")).data
    return {highlight["exact"]: highlight for highlight in found}


def find_text(saving: RunningKept, media_id: str, highlight: Any) -> str:
    with reading(saving.kept.database) as tx:
        fragment = articles.find_fragment(tx, UUID(media_id))
    assert fragment is not None
    return fragment.canonical_text[highlight["start"] : highlight["end"]]


@on_both_databases
async def test_highlights_go_along_to_a_new_copy_and_those_it_lacks_are_kept(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_ready(saving, ann, origin.url("/a"))
    await post_highlight(ann, item["media_id"], "the storm that morning", note="mine")
    await post_highlight(ann, item["media_id"], "The boats lay still.")
    new_id = await replace_copy(saving, ann, item)
    waiting = await list_mine(ann, new_id)
    assert {found["state"] for found in waiting.values()} == {"waiting"}
    assert await anchor_waiting(saving.kept.database) == 1
    found = await list_mine(ann, new_id)
    assert {exact: one["state"] for exact, one in found.items()} == {
        "the storm that morning": "anchored",
        "The boats lay still.": "not_found",
    }
    storm = found["the storm that morning"]
    assert (find_text(saving, new_id, storm), storm["note"]) == ("the storm that morning", "mine")
    assert await list_mine(ann, item["media_id"]) == {}
    assert len((await ann.get("/api/v1/highlights")).data) == 2
    page = (await ann.get(f"/read/{item['id']}", Accept="text/html")).body.decode()
    assert f'id="h-{storm["id"]}"' in page


REFRAIN = "<p>Row, row, row your boat, gently down the stream.</p>"
VERSES = [f"<p>Verse {word}: {word} boats lay still until the morning came to {word}.</p>" for word in ("one", "two")]


async def test_of_two_passages_that_say_the_same_the_marked_one_is_found_or_none(owner: Owner) -> None:
    old = await owner.save("https://example.org/old")
    new = await owner.save("https://example.org/new")
    last = await owner.save("https://example.org/last")
    ingest(owner.database, old.media.id, VERSES[0] + REFRAIN + VERSES[1] + REFRAIN)
    ingest(owner.database, new.media.id, VERSES[0] + VERSES[1] + REFRAIN)
    ingest(owner.database, last.media.id, "<p>A preface.</p>" + VERSES[0] + REFRAIN + VERSES[1] + REFRAIN)
    first = await mark(owner, old, "gently down", hint=0)
    second = await mark(owner, old, "gently down", hint=1_000)
    await move_to(owner, old, new)
    found = {one.id: one for one in list_on(owner, new.media.id)}
    assert found[first.id].state is HighlightState.NOT_FOUND, "its verse no longer has a refrain"
    assert found[second.id].span is not None
    await move_to(owner, new, last)
    found = {one.id: one for one in list_on(owner, last.media.id)}
    spans = [found[one.id].span for one in (first, second)]
    assert all(spans)
    assert spans == sorted(spans, key=lambda span: span.start if span else 0), "the one that was lost is followed, too"
    with reading(owner.database) as tx:
        assert tx.execute(select(func.count()).select_from(tables.former_texts)).scalar_one() == 0


async def move_to(owner: Owner, old: Card, new: Card) -> None:
    with writing(owner.database) as tx:
        highlights.move_highlights(tx, old.media.id, new.media.id, {owner.viewer.user_id})
        queue_anchoring(tx, new.media.id, now=utc_now())
    assert await anchor_waiting(owner.database) == 1


@on_both_databases
async def test_a_new_copy_that_somebody_else_asked_for_leaves_ones_own_as_they_are(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    """Bob's own library still shows the copy he marked, though Team, which he is a member of, has a newer one."""
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    await ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "bob"})
    shared = await save_ready(saving, ann, origin.url("/a"), library_id=library_id)
    await save_ready(saving, bob, origin.url("/a"))
    await post_highlight(ann, shared["media_id"], "storm")
    await post_highlight(bob, shared["media_id"], "storm")
    new_id = await replace_copy(saving, ann, shared)
    await anchor_waiting(saving.kept.database)
    # both have the old copy in libraries of their own
    assert [list(await list_mine(who, shared["media_id"])) for who in (ann, bob)] == [["storm"], ["storm"]]
    [own] = (await ann.get("/api/v1/items")).data
    newest = await replace_copy(saving, ann, own)
    await anchor_waiting(saving.kept.database)
    assert list(await list_mine(ann, newest)) == ["storm"]
    assert list(await list_mine(bob, shared["media_id"])) == ["storm"]
    assert await list_mine(bob, new_id) == {}


async def test_a_member_who_has_the_page_nowhere_else_follows_the_library(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    await ann.post(f"/api/v1/libraries/{library_id}/members", {"user_name": "bob"})
    shared = await save_ready(saving, ann, origin.url("/a"), library_id=library_id)
    await post_highlight(bob, shared["media_id"], "storm")
    new_id = await replace_copy(saving, ann, shared)
    await anchor_waiting(saving.kept.database)
    assert [found["state"] for found in (await list_mine(bob, new_id)).values()] == ["anchored"]


@on_both_databases
async def test_highlights_go_back_when_the_new_copy_is_cleaned_up(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    library_id = (await ann.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    shared = await save_ready(saving, ann, origin.url("/a"), library_id=library_id)
    [own] = (await ann.get("/api/v1/items")).data
    await post_highlight(ann, shared["media_id"], "storm")
    new_id = await replace_copy(saving, ann, own)
    await anchor_waiting(saving.kept.database)
    assert list(await list_mine(ann, new_id)) == ["storm"]
    await ann.delete(f"/api/v1/items/{own['id']}")
    with writing(saving.kept.database) as tx:
        removals.forget_before(tx, utc_now())
    assert await remove_orphans(saving.kept.database, saving.kept.blobs, now=utc_now()) == 1
    await anchor_waiting(saving.kept.database)
    assert [found["state"] for found in (await list_mine(ann, shared["media_id"])).values()] == ["anchored"]


async def test_highlights_of_two_media_that_are_one_page_are_all_there(owner: Owner, other_owner: Owner) -> None:
    winner = await owner.keep("https://example.org/a", "A", "The storm came.\nThe boats lay still.")
    loser = await owner.keep("https://example.org/b", "A", "Then the boats lay still again.\nA storm came.")
    theirs = await other_owner.save("https://example.org/b")
    assert theirs.media.id == loser.media.id
    kept = await mark(owner, winner, "The storm")
    moved = await mark(owner, loser, "the boats lay still", note="mine")
    others = await mark(other_owner, theirs, "A storm came.")
    with writing(owner.database) as tx:
        merge_media(tx, loser.media.id, winner.media.id, actor_user_id=None, now=utc_now())
    assert await anchor_waiting(owner.database) == 1
    found = list_on(owner, winner.media.id)
    assert [(one.id, one.note) for one in found] == [(kept.id, None), (moved.id, "mine")]
    assert [one.span is not None for one in found] == [True, False], "other capitals are other words"
    assert [one.id for one in list_on(other_owner, winner.media.id)] == [others.id]


@pytest.mark.requirement("Kept", "imported highlights are added once and found later")
async def test_what_a_file_brings_before_the_article_is_found_once_it_is_there(owner: Owner) -> None:
    card = await owner.save("https://example.org/a")
    said = NewHighlight(parse_quote("thought of\nthe storm"), note="imported")
    asked = bring(owner, card, said, NewHighlight(parse_quote("never said")))
    assert (asked, await anchor_waiting(owner.database)) == (set(), 0)
    assert [one.span for one in list_on(owner, card.media.id)] == [None, None]
    ingest(owner.database, card.media.id, OLD)
    assert await anchor_waiting(owner.database) == 1
    found, lost = list_on(owner, card.media.id)
    assert found.span is not None
    assert (found.quote.exact, found.quote.prefix, found.note) == ("thought of\nthe storm", "Nobody ", "imported")
    assert (lost.span, lost.anchored_version, lost.quote.exact) == (None, 1, "never said")


async def test_what_a_file_brings_for_an_article_that_is_there_is_found_by_a_worker(owner: Owner) -> None:
    card = await owner.keep("https://example.org/a", "A", "One two three.\nOne two three.")
    second = NewHighlight(parse_quote("two three"), hint=20)
    assert bring(owner, card, second) == {card.media.id}
    assert await anchor_waiting(owner.database) == 1
    assert await anchor_waiting(owner.database) == 0
    [found] = list_on(owner, card.media.id)
    assert found.quote.exact == "two three"


async def test_many_highlights_are_found_some_at_a_time(owner: Owner) -> None:
    lines = [f"Line number {number} says something of its own." for number in range(130)]
    card = await owner.save("https://example.org/a")
    bring(owner, card, *(NewHighlight(parse_quote(line)) for line in lines))
    ingest(owner.database, card.media.id, "".join(f"<p>{line}</p>" for line in lines))
    assert await anchor_waiting(owner.database) == 1
    assert [one.quote.exact for one in list_on(owner, card.media.id)] == lines


async def test_a_highlight_made_while_others_are_looked_for_is_found_too(owner: Owner) -> None:
    """It was asked for again after the worker looked: the job runs once more."""
    card = await owner.keep("https://example.org/a", "A", "The storm came.\nThe boats lay still.")
    bring(owner, card, NewHighlight(parse_quote("The storm came.")))
    bring(owner, card, NewHighlight(parse_quote("The boats lay still.")))
    assert await anchor_waiting(owner.database) == 1
    with reading(owner.database) as tx:
        assert not highlights.has_unanchored(tx, card.media.id, 1)
