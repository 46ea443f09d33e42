"""Search over HTTP and on the web pages: seen from outside."""

import re
from typing import Any
from urllib.parse import urlencode

from support.builders.articles import ingest
from support.servers.serving import Person, RunningKept

HTML = {"Accept": "text/html"}


async def save_article(running: RunningKept, person: Person, path: str, html: str, **words: Any) -> Any:
    item = await person.save(f"https://example.org/{path}", wait=False, **words)
    ingest(running.kept.database, item["media_id"], html)
    return item


async def find(person: Person, query: str, **others: object) -> Any:
    return await person.get(f"/api/v1/search?{urlencode({'q': query, **others})}")


async def test_search_answers_with_cards_and_passages(running: RunningKept, reader: Person) -> None:
    html = "<p>Nobody thought of the <b>storm</b> &amp; the &lt;sea&gt; that morning.</p>"
    item = await save_article(running, reader, "a", html, title="<script>alert(1)</script>", tags=["boats"])
    answer = await find(reader, "storm")
    assert answer.status == 200
    [found] = answer.data
    assert answer.json["next_cursor"] is None
    assert found["snippet"] == "Nobody thought of the <mark>storm</mark> &amp; the &lt;sea&gt; that morning."
    card = (await reader.get(f"/api/v1/items/{item['id']}")).data
    assert {name: value for name, value in found.items() if name not in {"snippet", "page"}} == card
    assert found["page"] is None
    assert [one["id"] for one in (await find(reader, "alert tag:boats")).data] == [item["id"]]


async def test_pages_of_results_are_fetched_by_cursor(running: RunningKept, reader: Person) -> None:
    for number in range(5):
        await save_article(running, reader, str(number), "<p>The storm.</p>")
    first = await find(reader, "storm", limit=3)
    second = await find(reader, "storm", limit=3, cursor=first.json["next_cursor"])
    assert [len(first.data), len(second.data)] == [3, 2]
    assert second.json["next_cursor"] is None
    assert len({item["id"] for item in first.data + second.data}) == 5


async def test_what_cannot_be_asked_is_refused_like_elsewhere(reader: Person, running: RunningKept) -> None:
    assert (await reader.get("/api/v1/search")).error_code == "E_INVALID_REQUEST"
    assert (await find(reader, "x", limit=0)).error_code == "E_INVALID_REQUEST"
    assert (await find(reader, "x", cursor="nonsense")).error_code == "E_INVALID_REQUEST"
    assert (await find(reader, "x", library_id="01900000-0000-7000-8000-000000000000")).error_code == "E_NOT_FOUND"
    assert (await running.nobody.get("/api/v1/search?q=x")).error_code == "E_UNAUTHORIZED"
    assert (await find(reader, "")).data == []
    assert (await find(reader, "a" * 7_000)).data == []


async def test_the_list_page_searches_and_shows_why(running: RunningKept, reader: Person) -> None:
    html = "<p>Nobody thought of the storm &lt;img src=x onerror=alert(1)&gt; that morning.</p>"
    item = await save_article(running, reader, "a", html, title="Calm")
    await reader.patch(f"/api/v1/items/{item['id']}", {"is_archived": True})
    page = (await reader.get("/?q=storm", **HTML)).body.decode()
    assert '<p class="excerpt found" dir="auto">Nobody thought of the <mark>storm</mark> &lt;img src=x' in page
    assert "Search tips" in page
    assert "Newest first" not in page, "results are ranked"
    piece = (await reader.get("/?q=storm", **{"Kept-Fragment": "1"})).body.decode()
    assert "<mark>storm</mark>" in piece
    assert "<html" not in piece
    empty = (await reader.get("/?q=nothing+of+the+sort", **HTML)).body.decode()
    assert 'No results for "nothing of the sort"' in empty
    assert (await reader.get("/?" + urlencode({"q": '"><script>' * 50}), **HTML)).status == 200


async def test_pages_of_results_follow_on_the_list_page(running: RunningKept, reader: Person) -> None:
    for number in range(26):
        await save_article(running, reader, str(number), "<p>The storm.</p>")
    page = (await reader.get("/?q=storm", **HTML)).body.decode()
    [following] = re.findall(r'rel="next" href="([^"]*)">More results', page)
    rest = (await reader.get(following.replace("&amp;", "&"), **HTML)).body.decode()
    assert len(re.findall(r'<article class="card', page)) == 24
    assert len(re.findall(r'<article class="card', rest)) == 2
