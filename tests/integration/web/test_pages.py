"""Pages over HTTP: errors, what a link may do, what a member may see, what can be undone."""

import json
import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from kept.api.access import Public
from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.failures import MAY_BE_DOCUMENTS, RETRY_CANNOT_HELP, FailureCode
from kept.services.items.removal import RESTORE_WITHIN, remove_items, restore_items
from kept.storage import items
from support.builders.articles import fail, ingest
from support.builders.demo import PAGES, stock
from support.builders.demo import Page as DemoPage
from support.fixtures.transactions import reading, writing
from support.servers.serving import Answer, Person, RunningKept

HTML = {"Accept": "text/html,application/xhtml+xml"}


async def send(person: Person, path: str, *fields: tuple[str, str], **headers: str) -> Answer:
    sent = {"Content-Type": "application/x-www-form-urlencoded", **headers}
    return await person.send(path, urlencode(fields), **sent)


async def fill(running: RunningKept, person: Person, number: int = 4) -> list[str]:
    assert person.user is not None
    found = await stock(running.kept.database, running.kept.blobs, person.user.id, PAGES[:number])
    return [str(item_id) for item_id in found]


async def test_errors_are_pages_for_browsers_and_envelopes_for_everyone_else(
    running: RunningKept, reader: Person
) -> None:
    page = await running.nobody.get("/nowhere", **HTML)
    assert (page.status, page.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert page.headers["X-Request-Id"] in page.body.decode()
    for path, headers in (("/nowhere", {"Accept": "*/*"}), ("/api/v1/nowhere", HTML)):
        assert (await running.nobody.get(path, **headers)).error_code == "E_NOT_FOUND"
    missing = (await reader.get("/read/0198c0de-0000-7000-8000-000000000000", **HTML)).body.decode()
    assert "Page not found" in missing
    assert 'href="/statistics"' in missing  # the menu
    assert "Sign out" not in page.body.decode()


async def test_an_error_page_has_the_theme_of_its_reader(reader: Person) -> None:
    await send(reader, "/preferences", ("theme", "sepia"))
    page = (await reader.get("/nowhere", **HTML)).body.decode()
    assert 'data-theme="sepia"' in page
    assert '<meta name="theme-color" content="#f6eedd">' in page


async def test_a_crash_is_a_page_too(running: RunningKept) -> None:
    async def crash() -> None:
        raise RuntimeError("a bug")

    running.app.add_api_route("/crash", crash, dependencies=[Public])
    page = await running.nobody.get("/crash", **HTML)
    assert page.status == 500
    assert page.headers["X-Request-Id"] in page.body.decode()
    assert "a bug" not in page.body.decode()


async def test_who_is_not_signed_in_is_asked_to_and_comes_back(running: RunningKept) -> None:
    answer = await running.nobody.get("/add?url=https://example.org/a", **HTML)
    assert answer.status == 303
    assert answer.headers["Location"] == "/sign-in?next=%2Fadd%3Furl%3Dhttps%3A%2F%2Fexample.org%2Fa"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x"])
async def test_nothing_leads_out_of_kept(running: RunningKept, reader: Person, elsewhere: str) -> None:
    page = await running.nobody.get("/sign-in?" + urlencode({"next": elsewhere}), **HTML)
    assert 'name="next" value="/"' in page.body.decode()
    [item_id] = await fill(running, reader, 1)
    answer = await send(reader, "/items", ("item", item_id), ("action", "archive"), ("back", elsewhere))
    assert answer.headers["Location"].startswith("/?done=archive")


async def test_following_a_link_to_add_only_fills_in_the_form(running: RunningKept, reader: Person) -> None:
    shared = urlencode({"title": "A <b>page</b>", "text": "Look: https://example.org/a?b=1 nice"})
    page = (await reader.get(f"/add?{shared}", **HTML)).body.decode()
    assert 'value="https://example.org/a?b=1"' in page
    assert "A &lt;b&gt;page&lt;/b&gt;" in page
    assert "Look:  nice" in page
    assert (await reader.get("/api/v1/items")).data == []


async def test_hostile_words_never_become_markup(running: RunningKept, reader: Person) -> None:
    [item_id] = await fill(running, reader, 1)
    evil = '"><script>alert(1)</script>'
    await reader.patch(f"/api/v1/items/{item_id}", {"title": evil, "excerpt": evil, "note": evil, "tags": [evil]})
    for path in ("/", f"/read/{item_id}", f"/history/{item_id}", f"/items/{item_id}", f"/?q={evil}", f"/?tag={evil}"):
        body = (await reader.get(path, **HTML)).body.decode()
        assert "<script>alert" not in body, path
        assert not re.search(r"<[^>]+ (style|on\w+)=", body), path


async def test_a_member_reads_but_is_shown_nothing_they_may_not_do(running: RunningKept, reader: Person) -> None:
    bob, eve = await running.make_person("bob"), await running.make_person("eve")
    library = (await reader.post("/api/v1/libraries", {"name": "Team"})).data["id"]
    await reader.post(f"/api/v1/libraries/{library}/members", {"user_name": "bob"})
    page = (await bob.get(f"/?library={library}", **HTML)).body.decode()
    assert "add-box" not in page
    assert (await eve.get(f"/?library={library}", **HTML)).status == 404
    assert (await eve.get(f"/libraries/{library}", **HTML)).status == 404


async def test_what_was_removed_comes_back_with_its_words_and_tags(running: RunningKept, reader: Person) -> None:
    ids = await fill(running, reader, 2)
    await reader.patch(f"/api/v1/items/{ids[0]}", {"note": "mine", "tags": ["kept"]})
    before = (await reader.get(f"/api/v1/items/{ids[0]}")).data
    answer = await send(reader, "/items", *(("item", item_id) for item_id in ids), ("action", "delete"))
    batch = re.search(r"undo=([0-9a-f-]+)", answer.headers["Location"])
    assert batch is not None
    assert (await reader.get("/api/v1/items")).data == []
    undone = await send(reader, "/undo", ("batch", batch.group(1)))
    assert undone.headers["Location"] == "/?done=undo&number=2"
    after = (await reader.get(f"/api/v1/items/{ids[0]}")).data
    assert {**after, "updated_at": None} == {**before, "updated_at": None}
    assert (await send(reader, "/undo", ("batch", batch.group(1)))).headers["Location"] == "/?done=undo_gone"


async def test_a_note_tags_and_a_custom_title_can_be_emptied_on_the_page(running: RunningKept, reader: Person) -> None:
    [item_id] = await fill(running, reader, 1)
    await reader.patch(f"/api/v1/items/{item_id}", {"title": "Mine", "note": "mine", "tags": ["mine"]})
    await send(reader, f"/items/{item_id}", ("title", ""), ("note", ""), ("tags", ""))
    item = (await reader.get(f"/api/v1/items/{item_id}")).data
    assert (item["own_title"], item["note"], item["tags"]) == (None, None, [])


async def test_a_form_with_tags_alone_changes_nothing_else(running: RunningKept, reader: Person) -> None:
    [item_id] = await fill(running, reader, 1)
    await reader.patch(f"/api/v1/items/{item_id}", {"title": "Mine", "note": "mine"})
    await send(reader, f"/items/{item_id}", ("tags", "one, two"))
    item = (await reader.get(f"/api/v1/items/{item_id}")).data
    assert (item["own_title"], item["note"], item["tags"]) == ("Mine", "mine", ["one", "two"])


async def test_a_tag_with_a_comma_outlives_the_form(running: RunningKept, reader: Person) -> None:
    [item_id] = await fill(running, reader, 1)
    await reader.patch(f"/api/v1/items/{item_id}", {"tags": ["food, drink", "old"]})
    page = (await reader.get(f"/items/{item_id}", **HTML)).body.decode()
    hidden = re.findall(r'<input type="hidden" name="(shown_tag)" value="([^"]*)">', page)
    await send(reader, f"/items/{item_id}", ("tags", "food, drink, new"), ("note", "mine"), *hidden)
    assert (await reader.get(f"/api/v1/items/{item_id}")).data["tags"] == ["food, drink", "new"]


async def test_the_set_up_link_leads_to_the_library_once_there_is_an_account(
    running: RunningKept, reader: Person
) -> None:
    answer = await reader.get("/setup?token=used", **HTML)
    assert (answer.status, answer.headers["Location"]) == (303, "/")


@pytest.mark.requirement("Kept", "every action can be undone; removed pages stay for thirty days")
async def test_nobody_else_can_undo_a_removal_and_after_thirty_days_nobody_can(
    running: RunningKept, reader: Person
) -> None:
    bob = await running.make_person("bob")
    assert reader.user is not None
    assert bob.user is not None
    [item_id] = await stock(running.kept.database, running.kept.blobs, reader.user.id, PAGES[:1])
    mine, theirs = Viewer(reader.user, frozenset()), Viewer(bob.user, frozenset())
    now = running.kept.now()
    batch = (await running.kept.write(remove_items, mine, [item_id], now=now)).undo
    assert batch is not None
    with pytest.raises(NotFound):
        await running.kept.write(restore_items, theirs, batch, now=now)
    later = now + RESTORE_WITHIN + timedelta(seconds=1)
    with pytest.raises(NotFound):
        await running.kept.write(restore_items, mine, batch, now=later)


async def test_a_removal_in_one_library_tells_no_other(running: RunningKept, reader: Person) -> None:
    [item_id] = await fill(running, reader, 1)
    latest = await running.kept.feed.find_latest()
    await reader.delete(f"/api/v1/items/{item_id}")
    assert reader.user is not None
    missed = await running.kept.feed.list_missed(reader.user.id, latest)
    assert [(event.kind, str(event.item_id)) for event in missed or []] == [("removed", item_id)]


async def test_views_sort_and_find_narrow_the_list(running: RunningKept, reader: Person) -> None:
    await fill(running, reader, len(PAGES))

    async def titles(query: str) -> list[str]:
        body = (await reader.get(f"/{query}", **HTML)).body.decode()
        return re.findall(r'<h2 id="t-[^>]*><a [^>]*>([^<]*)</a>', body)

    everything = await titles("")
    assert len(everything) == len(PAGES)
    assert await titles("?sort=oldest") == everything[::-1]
    assert await titles("?view=favourite") == ["How the tide tables were computed by brass"]
    assert len(await titles("?view=failed")) == 2
    assert "Night trains are coming back, slowly" not in await titles("?view=unread")
    assert await titles("?tag=travel") == ["Night trains are coming back, slowly"]
    assert await titles("?q=MOSS") == ["What moss knows about time"]
    assert await titles("?q=%25") == []


async def test_a_new_password_ends_every_other_session(running: RunningKept) -> None:
    running.make_user("ann")

    async def sign_in(password: str = "correct horse battery") -> tuple[int, dict[str, str]]:
        answer = await running.nobody.post(
            "/api/v1/session", {"name": "ann", "password": password}, Origin=running.address
        )
        return answer.status, {"Cookie": str(answer.headers.get("Set-Cookie", "")).partition(";")[0]}

    (_, here), (_, there) = await sign_in(), await sign_in()
    person = Person(running.address)
    form = (("current", "correct horse battery"), ("new", "a longer new password"))
    wrong = await send(person, "/account/password", ("current", "no"), form[1], **here, Origin=running.address)
    assert b"The current password is wrong." in wrong.body
    right = await send(person, "/account/password", *form, **here, Origin=running.address)
    assert right.headers["Location"] == "/account?done=password"
    assert (await person.get("/api/v1/me", **here)).status == 200
    assert (await person.get("/api/v1/me", **there)).status == 401
    assert (await sign_in())[0] == 401
    assert (await sign_in("a longer new password"))[0] == 201


async def test_a_new_token_is_shown_once_and_never_stored_by_the_browser(running: RunningKept, reader: Person) -> None:
    answer = await send(reader, "/tokens", ("name", "Phone"), ("scope", "read"))
    found = re.search(r"kept_[\w-]+", answer.body.decode())
    assert found is not None
    assert answer.headers["Cache-Control"] == "no-store"
    assert (await Person(running.address, found.group()).get("/api/v1/me")).data["scopes"] == ["read"]
    assert found.group() not in (await reader.get("/tokens")).body.decode()


async def test_assets_are_kept_for_ever_under_their_digest(running: RunningKept) -> None:
    running.make_user("ann")
    page = (await running.nobody.get("/sign-in")).body.decode()
    address = re.search(r'href="(/static/[0-9a-f]{12}/kept\.css)"', page)
    assert address is not None
    answer = await running.nobody.get(address.group(1))
    assert (answer.status, "immutable" in answer.headers["Cache-Control"]) == (200, True)
    manifest = await running.nobody.get("/static/kept.webmanifest")
    assert manifest.headers["Content-Type"].startswith("application/manifest+json")


async def test_a_page_removed_and_saved_anew_is_not_doubled_by_undo(running: RunningKept, reader: Person) -> None:
    assert reader.user is not None
    [item_id] = await stock(running.kept.database, running.kept.blobs, reader.user.id, PAGES[:1])
    viewer, now = Viewer(reader.user, frozenset()), running.kept.now()
    with reading(running.kept.database) as tx:
        card = items.find_card(tx, item_id, reader.user.id)
    assert card is not None
    batch = (await running.kept.write(remove_items, viewer, [item_id], now=now)).undo
    assert batch is not None
    with writing(running.kept.database) as tx:
        items.insert_item(tx, card.item)
    assert await running.kept.write(restore_items, viewer, batch, now=now) == []


async def test_an_article_can_be_taken_away_from_the_reader(running: RunningKept, reader: Person) -> None:
    [item_id] = await fill(running, reader, 1)
    page = (await reader.get(f"/read/{item_id}", **HTML)).body.decode()
    links = re.findall(r'href="(/api/v1/items/[^"]*/article\.\w+)"', page)
    assert len(links) == 4
    for link in links:
        answer = await reader.get(link)
        assert (answer.status, "attachment" in answer.headers["Content-Disposition"]) == (200, True), link


async def test_a_new_copy_is_asked_for_from_the_history(running: RunningKept, reader: Person) -> None:
    [item_id] = await fill(running, reader, 1)
    assert b"Save a new copy" in (await reader.get(f"/history/{item_id}", **HTML)).body
    answer = await send(reader, "/items", ("item", item_id), ("action", "recapture"))
    assert answer.headers["Location"] == "/?done=recapture&number=1"


async def test_a_link_that_is_saved_again_after_it_failed_says_so(running: RunningKept, reader: Person) -> None:
    item = await reader.save("https://example.org/a", wait=False)
    fail(running.kept.database, item["media_id"], FailureCode.FETCH_FAILED)
    answer = await send(reader, "/add", ("url", "https://example.org/a"))
    assert answer.headers["Location"] == "/?done=known_failed"
    assert b"but the page couldn&#39;t be read" in (await reader.get("/?done=known_failed", **HTML)).body


@pytest.mark.requirement("Kept", "new copies; older ones stay readable")
async def test_older_copies_of_a_page_are_read_from_its_history(running: RunningKept, reader: Person) -> None:
    item = await reader.save("https://example.org/a", wait=False)
    ingest(running.kept.database, item["media_id"], "<p>The old words.</p>")
    assert "Copies of this page" not in (await reader.get(f"/history/{item['id']}", **HTML)).body.decode()
    made = (await reader.post(f"/api/v1/items/{item['id']}/recapture")).data
    ingest(running.kept.database, made[0]["media_id"], "<p>The new words.</p>")
    history = (await reader.get(f"/history/{item['id']}", **HTML)).body.decode()
    copies = re.findall(r'<li><a href="(/read/[^"]*)">', history)
    read = [(await reader.get(path, **HTML)).body.decode() for path in copies]
    assert ["The new words." in read[0], "The old words." in read[1], len(read)] == [True, True, 2]
    assert history.count("Current copy") == 1


async def test_the_service_worker_is_at_the_root_and_names_the_files_of_its_version(
    running: RunningKept,
) -> None:
    worker = await running.nobody.get("/sw.js")
    assert worker.headers["Content-Type"].startswith("text/javascript")
    assert worker.headers["Cache-Control"] == "no-cache"
    assert "default-src 'none'" in worker.headers["Content-Security-Policy"]
    [shell] = re.findall(r"const SHELL = (\[.*\]);", worker.body.decode())
    for path in json.loads(shell):
        assert (await running.nobody.get(path)).status == 200


async def test_the_page_for_having_no_connection_says_nothing_about_who_asked(
    running: RunningKept, reader: Person
) -> None:
    pages = [(await person.get("/offline", **HTML)).body for person in (running.nobody, reader)]
    assert pages[0] == pages[1]


async def test_what_was_done_on_a_page_never_counts_as_done_by_another_user(
    running: RunningKept, reader: Person
) -> None:
    assert reader.user is not None
    page = await reader.get("/", **HTML)
    assert page.headers["Kept-User"] == str(reader.user.id)
    [item] = await fill(running, reader, 1)
    other = "0198c0de-0000-7000-8000-000000000000"
    for meant, status in ((other, 401), (str(reader.user.id), 200), ("", 200)):
        answer = await reader.call("PATCH", f"/api/v1/items/{item}", {"is_favourite": True}, **{"Kept-User": meant})
        assert answer.status == status


@pytest.mark.parametrize("code", FailureCode)
async def test_pages_offer_to_try_again_only_where_that_can_help(
    running: RunningKept, reader: Person, code: FailureCode
) -> None:
    assert reader.user is not None
    failed = DemoPage(None, None, "https://example.org/failed", failure=(code, "Why."))
    [item] = await stock(running.kept.database, running.kept.blobs, reader.user.id, (failed,))
    history = (await reader.get(f"/history/{item}", **HTML)).body.decode()
    queue = (await reader.get("/queue", **HTML)).body.decode()
    offers = code not in RETRY_CANNOT_HELP or code in MAY_BE_DOCUMENTS
    assert ("Try again</button>" in history, 'action="/queue/retry"' in queue) == (offers, offers)
    assert ("try again" in history.lower()) == offers
