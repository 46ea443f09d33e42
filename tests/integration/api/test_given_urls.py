"""URLs as people give them: kept as they are, known by one spelling, and without their passwords."""

import json
from urllib.parse import urlencode

import pytest
from sqlalchemy import text

from kept.storage import tables
from support.builders.articles import get_media
from support.builders.importing import upload_import, work_off_imports
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import reading
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept


@pytest.mark.requirement("002", "§2 `source_url`: the URL as it was submitted")
@on_both_databases
async def test_002_2_an_item_keeps_and_opens_the_url_exactly_as_it_was_given(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    url = origin.page("/a", article())
    item = await ann.save(f"{url}?B=1&a=%7e#Part-2:~:text=word")
    assert item["url"] == item["link"] == f"{url}?B=1&a=%7e#Part-2:~:text=word"
    assert f'href="{url}?B=1&amp;a=%7e#Part-2:~:text=word"' in (await ann.get("/", Accept="text/html")).body.decode()
    assert get_media(saving, item).canonical_url == f"{url}?B=1&a=~"
    again = await ann.post("/api/v1/items", {"url": f"{url}?B=1&a=~#elsewhere"})
    # the first one stays
    assert (again.status, again.data["id"], again.data["url"]) == (200, item["id"], item["url"])
    theirs = await bob.save(f"{url}?B=1&a=~#elsewhere")
    assert (theirs["media_id"], theirs["url"]) == (item["media_id"], f"{url}?B=1&a=~#elsewhere")
    assert origin.requests["/a"] == 1
    assert origin.seen[0].path_qs == "/a?B=1&a=~"


async def test_of_two_items_that_become_one_the_url_that_was_saved_first_stays(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    url = origin.page("/a", article())
    first = await ann.save(origin.redirect("/r", "/a") + "#first")
    second = await ann.save(f"{url}#second")
    assert (second["id"], second["url"]) == (first["id"], first["url"])


@pytest.mark.parametrize("scheme", ["https", "http"])
async def test_an_item_is_found_by_its_site_however_its_url_was_spelt(
    saving: RunningKept, ann: Person, scheme: str
) -> None:
    item = await ann.save(f"{scheme.upper()}://B\u00fccher.Example/\u00e4#\u00f6", wait=False)
    assert item["url"] == f"{scheme}://B\u00fccher.Example/\u00e4#\u00f6"
    [found] = (await ann.get("/api/v1/search?" + urlencode({"q": "site:xn--bcher-kva.example"}))).data
    assert found["id"] == item["id"]


@pytest.mark.requirement("002", "§2 `source_url`: the URL as it was submitted")
async def test_an_export_brings_the_url_back_as_it_was(saving: RunningKept, ann: Person, bob: Person) -> None:
    await ann.save("https://example.org/a#part-2", wait=False)
    await ann.save("https://example.org/#/guide", wait=False)
    exported = await ann.get("/api/v1/export?format=json")
    await upload_import(bob, exported.body, "?file_name=kept.zip")
    await work_off_imports(saving)
    listed = (await bob.get("/api/v1/items")).data
    assert {item["url"] for item in listed} == {"https://example.org/a#part-2", "https://example.org/#/guide"}


async def test_a_space_in_a_url_is_escaped(saving: RunningKept, ann: Person, origin: Origin) -> None:
    item = await ann.save(origin.page("/a b", article("With a space")))
    assert (item["url"], item["title"]) == (origin.url("/a%20b"), "With a space")


@pytest.mark.requirement("Kept", "a URL that cannot be saved gets a reason")
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://example.org/" + "a" * 3000, "too long"),
        ("https://example.org/" + "a" * 300_000, "too long"),
        ("see https://example.org/", "space"),
        ("https://exa\nmple.org/", "line break"),
        ("https://example.org\\a", "backslash"),
        ("https://exa_$mple.org/", "host name"),
        ("https://example.org:99999/", "port"),
        ("   ", "There is no URL"),
    ],
)
@pytest.mark.parametrize("route", ["/api/v1/items", "/api/v1/media/web-articles", "/api/v1/media/from_url"])
async def test_a_url_that_cannot_be_saved_is_told_what_is_wrong_with_it(
    running: RunningKept, reader: Person, route: str, url: str, said: str
) -> None:
    answer = await reader.post(route, {"url": url})
    assert (answer.status, answer.error_code) == (400, "E_URL_INVALID")
    assert said in answer.json["error"]["message"]


@pytest.mark.requirement("Kept", "a password in a URL is removed, with a notice")
@on_both_databases
async def test_a_password_in_a_url_is_removed_with_a_notice_and_stored_or_sent_nowhere(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    url = origin.page("/a", article()).replace("://", "://ann:s3cret@") + "#part"
    answer = await ann.post("/api/v1/items", {"url": url}, **{"Idempotency-Key": "one"})
    assert (answer.status, answer.data["url"]) == (201, origin.url("/a#part"))
    assert [notice["code"] for notice in answer.json["notices"]] == ["credentials_removed"]
    assert "password" in answer.json["notices"][0]["message"]
    assert "Authorization" not in origin.seen[0].headers
    plain = await ann.post("/api/v1/items", {"url": origin.url("/a")})
    assert (plain.status, plain.data["id"], plain.json["notices"]) == (200, answer.data["id"], [])
    for route in ("/api/v1/media/web-articles", "/api/v1/media/from_url"):
        assert (await ann.post(route, {"url": url})).json["notices"] == answer.json["notices"]
    lines = f"{url}\nhttps://ann:s3cret@exa$mple.org/\nhttps://ann:s3/cret@example.org/\n"
    await upload_import(bob, lines.encode(), "?file_name=links.txt")
    await work_off_imports(saving)
    [started] = (await bob.get("/api/v1/imports")).data
    told = (await bob.get(f"/api/v1/imports/{started['id']}/rows")).body.decode()
    assert "password in the URL were removed" in told
    assert "s3" not in told
    assert not [table for table in tables.metadata.sorted_tables if "s3cret" in dump(saving, table.name)]


def dump(saving: RunningKept, table: str) -> str:
    with reading(saving.kept.database) as tx:
        return json.dumps([list(map(str, row)) for row in tx.execute(text(f"SELECT * FROM {table}"))])


@pytest.mark.requirement("Kept", "a password in a URL is removed, with a notice")
async def test_the_pages_say_that_a_password_was_removed(saving: RunningKept, ann: Person, origin: Origin) -> None:
    url = origin.page("/a", article()).replace("://", "://ann:s3cret@")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    done = await ann.send("/add", urlencode({"url": url}), **form)
    assert done.status == 303
    assert "s3cret" not in done.headers["Location"]
    page = (await ann.get(done.headers["Location"], Accept="text/html")).body.decode()
    assert "The user name and password in the URL were removed." in page
    fragment = await ann.send("/add", urlencode({"url": url}), **form, **{"Kept-Fragment": "1"})
    assert fragment.status == 200
    assert "The user name and password in the URL were removed." in fragment.body.decode()
