"""linkding's API as its clients need it. Each trap that a client sets has a test that names it."""

import re
from typing import Any
from urllib.parse import quote, urlencode

import aiohttp
import pytest

from kept.domain.account import Scope
from support.builders.articles import BODY
from support.fixtures.databases import on_both_databases
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "clients of wallabag and linkding work with Kept")

BOOKMARK_TYPES: dict[str, tuple[type, ...]] = {
    "id": (int,),
    "url": (str,),
    "title": (str,),
    "description": (str,),
    "notes": (str,),
    "web_archive_snapshot_url": (str,),
    "favicon_url": (str, type(None)),
    "preview_image_url": (str, type(None)),
    "is_archived": (bool,),
    "unread": (bool,),
    "shared": (bool,),
    "tag_names": (list,),
    "date_added": (str,),
    "date_modified": (str,),
    "website_title": (type(None),),
    "website_description": (type(None),),
}
PROFILE = {
    *("theme", "bookmark_date_display", "bookmark_link_target", "web_archive_integration", "tag_search"),
    *("enable_sharing", "enable_public_sharing", "enable_favicons", "display_url", "permanent_notes"),
    *("search_preferences", "version"),
}


async def add(person: Person, url: str, **more: Any) -> dict[str, Any]:
    answer = await person.post("/linkding/api/bookmarks/", {"url": url, **more})
    assert answer.status == 201, answer.body
    return answer.json  # type: ignore[no-any-return]


async def find(person: Person, query: str = "", path: str = "") -> list[str]:
    """The paths of what a list shows."""
    answer = await person.get(f"/linkding/api/bookmarks/{path}?{query}")
    assert answer.status == 200, answer.body
    assert len(answer.json["results"]) == answer.json["count"]
    return [bookmark["url"].rpartition("/")[2] for bookmark in answer.json["results"]]


async def test_a_token_is_sent_as_token_or_bearer_and_a_bad_one_is_401(saving: RunningKept, ann: Person) -> None:
    for scheme in ("Token", "Bearer", "token"):
        answer = await saving.nobody.get("/linkding/api/bookmarks/", Authorization=f"{scheme} {ann.token}")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    for header in ("Token wrong", "Token kept_wrong", "Basic eDp5", ""):
        answer = await saving.nobody.get("/linkding/api/bookmarks/", Authorization=header)
        assert (answer.status, list(answer.json)) == (401, ["detail"])


async def test_a_read_only_token_changes_nothing(saving: RunningKept) -> None:
    reader = await saving.make_person("rita", scopes={Scope.READ})
    assert (await reader.get("/linkding/api/tags/")).status == 200
    assert (await reader.post("/linkding/api/bookmarks/", {"url": "https://example.org/"})).status == 403
    assert (await reader.post("/linkding/api/tags/", {"name": "x"})).status == 403


async def test_every_path_is_answered_with_and_without_a_slash_and_never_by_a_redirect(
    saving: RunningKept, ann: Person
) -> None:
    bookmark = await add(ann, "https://example.org/a")
    paths = ("api/bookmarks", "api/bookmarks/archived", "api/bookmarks/shared", f"api/bookmarks/{bookmark['id']}")
    more = ("api/tags", "api/user/profile", "api/bundles", "api", f"api/bookmarks/{bookmark['id']}/assets", "health")
    for path in (*paths, *more, "api/bookmarks/check?url=x"):
        for form in (path, path.replace("?", "/?") if "?" in path else f"{path}/"):
            assert (await ann.get(f"/linkding/{form}")).status == 200, form
    for path in ("", "nothing", "api/nothing/", "api/bookmarks/x/"):
        assert (await ann.get(f"/linkding/{path}")).status == 404


async def test_a_bookmark_has_every_field_in_the_type_that_clients_read(saving: RunningKept, ann: Person) -> None:
    bookmark = await add(ann, "https://example.org/a", title="T", description="D", notes="N", tag_names=["B", "a"])
    assert set(bookmark) == set(BOOKMARK_TYPES)
    for name, types in BOOKMARK_TYPES.items():
        assert type(bookmark[name]) in types, name
    assert (bookmark["title"], bookmark["description"], bookmark["notes"]) == ("T", "D", "N")
    assert bookmark["tag_names"] == ["a", "b"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", bookmark["date_added"])
    got = await ann.get(f"/linkding/api/bookmarks/{bookmark['id']}/")
    assert (got.status, got.json) == (200, bookmark)


async def test_a_second_save_is_201_and_what_is_sent_goes_over_what_was_there(saving: RunningKept, ann: Person) -> None:
    first = await add(ann, "https://example.org/a", title="T", tag_names=["x"])
    second = await add(ann, "https://example.org/a", title="U", tag_names=["y"])
    assert (second["id"], second["title"], second["tag_names"]) == (first["id"], "U", ["y"])


async def test_what_is_new_is_unread_whatever_clients_send_by_default(saving: RunningKept, ann: Person) -> None:
    assert (await add(ann, "https://example.org/a", unread=False))["unread"] is True
    assert (await add(ann, "https://example.org/b", unread=True))["unread"] is True
    archived = await add(ann, "https://example.org/c", is_archived=True)
    assert archived["is_archived"] is True


async def test_linkdy_sends_multipart_with_one_text_of_tags_and_words_for_flags(
    saving: RunningKept, ann: Person
) -> None:
    form = aiohttp.FormData(quote_fields=False)
    for name, value in {"url": "https://example.org/a", "tag_names": "x, y z", "is_archived": "true"}.items():
        form.add_field(name, value, content_type="text/plain")
    answer = await ann.send("/linkding/api/bookmarks/?disable_scraping", form)
    assert answer.status == 201
    assert (answer.json["tag_names"], answer.json["is_archived"]) == (["x", "y z"], True)
    assert (await ann.get("/linkding/api/")).status == 200
    check = await ann.get(f"/linkding/api/bookmarks/check?url={quote('https://example.org/a', safe='')}")
    assert check.json["bookmark"]["id"] == answer.json["id"]


async def test_a_list_leaves_out_what_is_archived(saving: RunningKept, ann: Person) -> None:
    bookmark = await add(ann, "https://example.org/a")
    await add(ann, "https://example.org/b")
    path = f"/linkding/api/bookmarks/{bookmark['id']}"
    answer = await ann.post(f"{path}/archive/")
    assert (answer.status, answer.body) == (204, b"")
    assert (await find(ann), await find(ann, path="archived/")) == (["b"], ["a"])
    assert (await ann.post(f"{path}/unarchive/")).status == 204
    assert await find(ann) == ["b", "a"]
    assert (await ann.delete(f"{path}/")).status == 204
    assert await find(ann) == ["b"]
    assert await find(ann, path="shared/") == []


async def test_a_list_is_paged_by_limit_and_offset_with_links(saving: RunningKept, ann: Person) -> None:
    for number in range(3):
        await add(ann, f"https://example.org/{number}")
    first = (await ann.get("/linkding/api/bookmarks/?limit=2")).json
    assert (first["count"], first["previous"]) == (3, None)
    assert first["next"] == f"{ann.address}/linkding/api/bookmarks/?limit=2&offset=2"
    second = (await ann.get(first["next"].removeprefix(ann.address))).json
    assert (len(second["results"]), second["next"]) == (1, None)
    assert second["previous"].endswith("?limit=2&offset=0")


async def test_lists_are_sorted_and_narrowed(saving: RunningKept, ann: Person) -> None:
    one = await add(ann, "https://example.org/a", title="zebra")
    await add(ann, "https://example.org/b", title="Apple")
    assert await find(ann, "sort=added_asc") == ["a", "b"]
    assert await find(ann, "sort=title_asc") == ["b", "a"]
    await ann.patch(f"/linkding/api/bookmarks/{one['id']}/", {"unread": False})
    assert await find(ann, "sort=modified_desc") == ["a", "b"]
    assert (await find(ann, "unread=yes"), await find(ann, "unread=no")) == (["b"], ["a"])
    assert await find(ann, "modified_since=2999-01-01T00:00:00Z") == []
    assert await find(ann, f"added_since={quote(one['date_added'])}") == ["b"]


async def test_searches_know_words_tags_marks_and_or_and_not(saving: RunningKept, ann: Person) -> None:
    await add(ann, "https://example.org/a", title="red harbour", tag_names=["sea"])
    await add(ann, "https://example.org/b", title="blue harbour", tag_names=["sea", "sky"])
    await add(ann, "https://example.org/c", title="green meadow")

    async def search(q: str) -> set[str]:
        return set(await find(ann, urlencode({"q": q})))

    assert await search("harbour") == {"a", "b"}
    assert await search("red harbour") == {"a"}
    assert await search("red and harbour") == {"a"}
    assert await search("#sea") == {"a", "b"}
    assert await search("#sea #sky") == {"b"}
    assert await search("harbour not #sky") == {"a"}
    assert await search("red or meadow") == {"a", "c"}
    assert await search("(red or meadow)") == {"a", "c"}
    assert await search("!untagged") == {"c"}
    assert await search("harbour !untagged") == set()
    assert await search("!unread meadow") == {"c"}
    assert await search('"blue harbour"') == {"b"}
    assert await search("nothing:here") == set()
    assert await search("") == {"a", "b", "c"}


async def test_check_tells_the_url_as_it_was_asked_and_fetches_nothing(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    url = origin.page("/a", "<title>T</title>") + "?utm_source=x"
    answer = await ann.get(f"/linkding/api/bookmarks/check/?url={quote(url, safe='')}")
    assert answer.json == {
        "bookmark": None,
        "metadata": {"url": url, "title": None, "description": None, "preview_image": None},
        "auto_tags": [],
    }
    assert not origin.requests


@pytest.mark.parametrize("spelling", ["example.org/a", " https://example.org/a ", "https://ann:secret@example.org/a"])
async def test_check_finds_a_bookmark_by_whatever_a_save_would_accept(
    saving: RunningKept, ann: Person, spelling: str
) -> None:
    bookmark = await add(ann, "https://example.org/a")
    answer = await ann.get(f"/linkding/api/bookmarks/check/?url={quote(spelling, safe='')}")
    assert answer.json["bookmark"]["id"] == bookmark["id"]


async def test_put_and_patch_leave_what_is_not_sent(saving: RunningKept, ann: Person) -> None:
    one = await add(ann, "https://example.org/a", title="T", notes="N", tag_names=["x"])
    await add(ann, "https://example.org/b")
    path = f"/linkding/api/bookmarks/{one['id']}/"
    changed = await ann.patch(path, {"title": "U"})
    assert (changed.status, changed.json["title"], changed.json["notes"]) == (200, "U", "N")
    whole = {"url": one["url"], "description": "", "notes": "", "tag_names": ["y"], "unread": False, "shared": True}
    changed = await ann.call("PUT", path, whole)
    assert (changed.json["notes"], changed.json["tag_names"], changed.json["unread"]) == ("", ["y"], False)
    assert changed.json["title"] == "U"
    assert (await ann.patch(path, {"url": "https://example.org/b"})).status == 400  # another bookmark's
    assert (await ann.patch(path, {"url": "https://example.org/new"})).status == 400
    assert (await ann.patch(path, {"tag_names": []})).json["tag_names"] == []


async def test_bad_requests_are_400_with_a_detail(saving: RunningKept, ann: Person) -> None:
    for body in ({}, {"url": ""}, {"url": "http://"}):
        answer = await ann.post("/linkding/api/bookmarks/", body)
        assert (answer.status, list(answer.json)) == (400, ["detail"])
    # linkding-cli sends its tag under a name of its own
    assert (await ann.post("/linkding/api/tags/", {"example": "x"})).status == 400


async def test_a_page_of_singlefile_is_kept_as_it_was_seen(
    saving: RunningKept, ann: Person, origin: Origin, worker: Any
) -> None:
    url = origin.page("/a", "<p>the site's own")
    form = aiohttp.FormData()
    form.add_field("url", url)
    page = f"<!doctype html><title>Seen</title>{BODY}".encode()
    form.add_field("file", page, filename="page.html", content_type="text/html")
    answer = await ann.send("/linkding/api/bookmarks/singlefile/", form)
    assert (answer.status, list(answer.json)) == (201, ["message"])
    await worker.work_off()
    [item] = (await ann.get("/api/v1/items")).json["data"]
    assert item["processing_status"] == "ready_for_reading"
    assert origin.requests["/a"] == 0
    assert (await ann.send("/linkding/api/bookmarks/singlefile/", {"url": url})).status == 400


async def test_tags_have_numbers_and_can_be_made_before_they_are_used(saving: RunningKept, ann: Person) -> None:
    made = await ann.post("/linkding/api/tags/", {"name": "New Tag"})
    assert (made.status, made.json["name"]) == (201, "new tag")
    assert set(made.json) == {"id", "name", "date_added"}
    assert (await ann.post("/linkding/api/tags/", {"name": "new tag"})).json == made.json
    await add(ann, "https://example.org/a", tag_names=["other"])
    listed = (await ann.get("/linkding/api/tags/?limit=5000")).json
    assert (listed["count"], [tag["name"] for tag in listed["results"]]) == (2, ["new tag", "other"])
    one = await ann.get(f"/linkding/api/tags/{made.json['id']}/")
    assert (one.status, one.json) == (200, made.json)
    assert (await ann.get("/linkding/api/tags/2147483647/")).status == 404
    assert (await ann.get("/linkding/api/tags/99999999999999999999/")).status == 404


async def test_profile_health_bundles_and_assets_are_there(saving: RunningKept, ann: Person) -> None:
    assert set((await ann.get("/linkding/api/user/profile/")).json) == PROFILE
    health = (await saving.nobody.get("/linkding/health")).json
    assert health == {"version": "1.46.2", "status": "healthy"}
    assert (await ann.get("/linkding/api/bundles/")).json["results"] == []


@on_both_databases
async def test_both_databases_search_sort_and_count_alike(saving: RunningKept, ann: Person) -> None:
    await add(ann, "https://example.org/a", title="red harbour", tag_names=["sea"])
    await add(ann, "https://example.org/b", title="Blue meadow", is_archived=True)
    assert await find(ann, "q=harbour") == ["a"]
    assert await find(ann, "q=%23sea+or+%23none") == ["a"]
    assert await find(ann, "sort=title_desc") == ["a"]
    assert await find(ann, "q=meadow", "archived/") == ["b"]
    assert (await add(ann, "https://example.org/a"))["title"] == "red harbour"
