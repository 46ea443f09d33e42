"""The pages and forms of highlights over HTTP: hostile text, other people's highlights, other sites' forms."""

import re
from urllib.parse import urlencode
from uuid import UUID

import pytest

from kept.domain.highlight import MAX_NOTE, Colour
from kept.ids import new_id
from kept.storage import highlights
from support.builders.demo import PAGES, stock
from support.builders.highlighting import store_highlight
from support.fixtures.transactions import writing
from support.servers.serving import Answer, Person, RunningKept

HTML = {"Accept": "text/html"}
EVIL = '"><script>alert(1)</script>'


async def send(person: Person, path: str, *fields: tuple[str, str], **headers: str) -> Answer:
    sent = {"Content-Type": "application/x-www-form-urlencoded", **HTML, **headers}
    return await person.send(path, urlencode(fields), **sent)


async def give_article(running: RunningKept, person: Person) -> UUID:
    assert person.user is not None
    [item_id] = await stock(running.kept.database, running.kept.blobs, person.user.id, PAGES[:1])
    return item_id


async def mark(running: RunningKept, person: Person, item_id: UUID, exact: str, note: str | None = None) -> UUID:
    assert person.user is not None
    return store_highlight(running.kept.database, person.user.id, item_id, exact, note=note).id


@pytest.mark.requirement("Kept", "a note is plain text with links")
async def test_a_note_is_text_wherever_it_is_shown(running: RunningKept, reader: Person) -> None:
    item_id = await give_article(running, reader)
    made = await mark(running, reader, item_id, "A plane takes a shaving", EVIL)
    await mark(running, reader, item_id, EVIL, EVIL)
    for path in (f"/read/{item_id}", "/highlights", f"/highlights/{made}", "/highlights?" + urlencode({"q": EVIL})):
        body = (await reader.get(path, **HTML)).body.decode()
        assert "<script>alert" not in body, path
        assert not re.search(r"<[^>]+ (style|on\w+)=", body), path


@pytest.mark.requirement("Kept", "two people mark one article and see only their own")
async def test_nobody_opens_or_changes_somebody_elses_highlight(running: RunningKept, reader: Person) -> None:
    item_id = await give_article(running, reader)
    made = await mark(running, reader, item_id, "A plane takes a shaving", "Mine")
    eve = await running.make_person("eve")
    for answer in (
        await eve.get(f"/highlights/{made}", **HTML),
        await send(eve, f"/highlights/{made}", ("note", "Hers")),
        await send(eve, f"/highlights/{made}/remove"),
        await send(eve, f"/highlights/{made}/restore"),
    ):
        assert answer.status == 404
    assert b"Mine" not in (await eve.get("/highlights", **HTML)).body
    assert b"Mine" in (await reader.get(f"/read/{item_id}", **HTML)).body


async def test_a_form_returns_to_the_highlight_it_was_opened_from(running: RunningKept, reader: Person) -> None:
    item_id = await give_article(running, reader)
    made = await mark(running, reader, item_id, "A plane takes a shaving")
    back = "/highlights?q=plane#l-1"
    changed = await send(reader, f"/highlights/{made}", ("note", "one\r\ntwo"), ("colour", "red"), ("back", back))
    assert changed.headers["Location"] == f"/highlights?q=plane&done=highlight_changed#l-{made}"
    page = (await reader.get(f"/highlights/{made}", **HTML)).body.decode()
    assert "one\ntwo</textarea>" in page
    assert 'value="red" checked' in page
    removed = await send(reader, f"/highlights/{made}/remove", ("back", back))
    assert removed.headers["Location"] == f"/highlights?q=plane&done=highlight_removed&undo={made}"
    assert (
        f'action="/highlights/{made}/restore"' in (await reader.get(removed.headers["Location"], **HTML)).body.decode()
    )
    restored = await send(reader, f"/highlights/{made}/restore", ("back", back))
    assert restored.headers["Location"].endswith(f"#l-{made}")


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x"])
async def test_a_form_leads_nowhere_else(running: RunningKept, reader: Person, elsewhere: str) -> None:
    item_id = await give_article(running, reader)
    made = await mark(running, reader, item_id, "A plane takes a shaving")
    answer = await send(reader, f"/highlights/{made}", ("note", "x"), ("back", elsewhere))
    assert answer.headers["Location"].startswith("/highlights?done=")
    assert (
        elsewhere
        not in (await reader.get(f"/highlights/{made}?" + urlencode({"back": elsewhere}), **HTML)).body.decode()
    )


async def test_what_cannot_be_is_told(running: RunningKept, reader: Person) -> None:
    item_id = await give_article(running, reader)
    made = await mark(running, reader, item_id, "A plane takes a shaving")
    assert (await send(reader, f"/highlights/{made}", ("note", "x" * (MAX_NOTE + 1)))).status == 400
    assert (await send(reader, f"/highlights/{made}", ("colour", "mauve"))).status == 400
    assert (await send(reader, f"/highlights/{new_id()}", ("note", "x"))).status == 404
    assert (await reader.get("/highlights?cursor=nonsense", **HTML)).status == 400
    assert (await send(reader, f"/highlights/{made}", ("note", "a\x00b"))).status == 303


async def test_the_list_beside_an_article_begins_with_fifty_and_shows_all_when_asked(
    running: RunningKept, reader: Person
) -> None:
    item_id = await give_article(running, reader)
    for number in range(55):
        await mark(running, reader, item_id, "A plane takes a shaving", f"note {number:03}")
    first = (await reader.get(f"/read/{item_id}", **HTML)).body.decode()
    assert first.count("<li id=") == 50
    assert 'href="?highlights=all#highlights">Show all 55</a>' in first
    whole = (await reader.get(f"/read/{item_id}?highlights=all", **HTML)).body.decode()
    assert whole.count("<li id=") == 55
    assert "Show all" not in whole


async def test_a_change_by_another_process_shows_at_once(running: RunningKept, reader: Person) -> None:
    """The last marked articles are kept in memory; what is written here goes past the services of this process."""
    item_id = await give_article(running, reader)
    first = await mark(running, reader, item_id, "A plane takes a shaving")
    assert f'id="h-{first}"' in (await reader.get(f"/read/{item_id}", **HTML)).body.decode()
    second = await mark(running, reader, item_id, "the board is a hair thinner")
    assert f'id="h-{second}"' in (await reader.get(f"/read/{item_id}", **HTML)).body.decode()
    with writing(running.kept.database) as tx:
        highlights.update_highlight(tx, first, colour=Colour.BLUE)
        highlights.update_highlight(tx, second, removed_at=running.kept.now())
    page = (await reader.get(f"/read/{item_id}", **HTML)).body.decode()
    assert f'data-highlight="{first}" class="h-blue"' in page
    assert f'id="h-{second}"' not in page


async def test_a_list_goes_on_where_its_page_ended(running: RunningKept, reader: Person) -> None:
    item_id = await give_article(running, reader)
    for number in range(55):
        await mark(running, reader, item_id, "A plane takes a shaving", f"note {number:02}")
    first = (await reader.get("/highlights", **HTML)).body.decode()
    assert first.count("<li id=") == 50
    [path] = re.findall(r'rel="next" href="([^"]+)"', first)
    second = (await reader.get(path.replace("&amp;", "&"), **HTML)).body.decode()
    assert second.count("<li id=") == 5
    assert "note 00" in second
    assert "note 54" in first
