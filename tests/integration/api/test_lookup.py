"""Looking up a page by its URL, and the tags there are, over HTTP."""

from urllib.parse import urlencode

import pytest

from support.fixtures.databases import on_both_databases
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "the browser extension; its token can only save")


async def look_up(person: Person, url: str) -> tuple[int, str | None]:
    answer = await person.get(f"/api/v1/lookup?{urlencode({'url': url})}")
    return answer.status, answer.data["id"] if answer.status == 200 else None


@on_both_databases
async def test_a_page_is_found_by_any_spelling_of_its_url_and_by_nobody_else(
    saving: RunningKept, ann: Person, bob: Person
) -> None:
    item = await ann.save("https://example.org/a?b=1", wait=False)
    for url in ("https://example.org/a?b=1", "HTTPS://EXAMPLE.org:443/a?b=1#part"):
        assert await look_up(ann, url) == (200, item["id"])
        assert await look_up(bob, url) == (404, None)
    for url in ("https://example.org/a", "https://example.org/A?b=1", "nothing", "javascript:alert(1)", "x" * 2048):
        assert await look_up(ann, url) == (404, None)
    assert (await ann.get("/api/v1/lookup")).status == 400
    assert (await ann.delete(f"/api/v1/items/{item['id']}")).status == 204
    assert await look_up(ann, "https://example.org/a?b=1") == (404, None)


async def test_a_page_is_found_by_whatever_a_save_would_accept_for_it(saving: RunningKept, ann: Person) -> None:
    for spelling in ("example.org/a b", "  https://example.org/a%20b ", "https://ann:secret@example.org/a%20b"):
        item = await ann.save(spelling, wait=False)
        assert await look_up(ann, spelling) == (200, item["id"])
    assert (await ann.get("/api/v1/items")).data == [item], "it was one page"


@on_both_databases
async def test_tags_are_listed_by_how_often_they_are_used(saving: RunningKept, ann: Person, bob: Person) -> None:
    for number, tags in enumerate((["sea", "News"], ["sea"], ["seaside"], ["日本"])):
        await ann.save(f"https://example.org/{number}", tags=tags, wait=False)
    await bob.save("https://example.org/b", tags=["secret"], wait=False)
    listed = (await ann.get("/api/v1/tags?library_id=all")).data
    assert [(tag["name"], tag["count"]) for tag in listed] == [("sea", 2), ("news", 1), ("seaside", 1), ("日本", 1)]
    assert [tag["name"] for tag in (await ann.get("/api/v1/tags?prefix=SEA&limit=1")).data] == ["sea"]
    assert [tag["name"] for tag in (await ann.get("/api/v1/tags?prefix=%E6%97%A5")).data] == ["日本"]
    assert (await ann.get("/api/v1/tags?limit=0")).status == 400
