"""The official SDK's own client, over both transports, against Kept."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from kept.domain.account import Scope
from support.builders.articles import ingest
from support.builders.rows import save_many
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "Readeck's clients, OPDS and MCP")

TOOLS = {
    "search_articles",
    "list_articles",
    "read_article",
    "save_link",
    "tag_article",
    "list_highlights",
    "create_highlight",
}
LONG = "<p>A long paragraph follows here.</p>" * 1500
ARTICLE = f"<h2>Harbour</h2><p>Nobody thought of the <em>storm</em>.</p>{LONG}"


@asynccontextmanager
async def connect(person: Person, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {person.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=120) as http:  # test machines are busy
        transport = streamable_http_client(f"{person.address}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


async def use(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def fail(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_assistant_finds_reads_saves_tags_and_highlights(
    saving: RunningKept, ann: Person, origin: Origin, mode: str
) -> None:
    item = await ann.save(origin.page("/a", "<title>At sea 海</title>"))
    ingest(saving.kept.database, item["media_id"], ARTICLE)
    async with connect(ann, mode) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        assert all(tool.description for tool in tools)
        found = (await use(client, "search_articles", query="storm"))["articles"]
        assert [(each["id"], each["title"]) for each in found] == [(item["id"], "At sea 海")]
        assert "storm" in found[0]["passage"]
        assert [each["id"] for each in (await use(client, "list_articles"))["articles"]] == [item["id"]]
        text = await use(client, "read_article", article_id=item["id"])
        assert "## Harbour" in text["markdown"]
        assert text["pages"] > 1
        assert len(text["markdown"]) <= 20_000
        last = await use(client, "read_article", article_id=item["id"], page=text["pages"])
        assert "A long paragraph" in last["markdown"]
        saved = await use(client, "save_link", url=origin.page("/b", "<title>B</title>"), tags=["New"], note="n")
        assert (saved["title"], saved["tags"], saved["note"]) == ("B", ["new"], "n")
        tagged = await use(client, "tag_article", article_id=saved["id"], add=["x"], remove=["new"])
        assert tagged["tags"] == ["x"]
        assert [each["id"] for each in (await use(client, "list_articles", tag="x"))["articles"]] == [saved["id"]]
        made = await use(client, "create_highlight", article_id=item["id"], quote="thought of the storm", note="why")
        assert made["quote"] == "thought of the storm"
        for asked in ({}, {"article_id": item["id"]}, {"query": "why"}):
            [listed] = (await use(client, "list_highlights", **asked))["highlights"]
            assert listed["id"] == made["id"]


async def test_what_goes_wrong_is_told_in_words(saving: RunningKept, ann: Person, bob: Person, origin: Origin) -> None:
    item = await ann.save(origin.page("/a", "<title>A</title>"))
    ingest(saving.kept.database, item["media_id"], "<p>Words.</p>")
    async with connect(ann) as client:
        assert "not in the article" in await fail(client, "create_highlight", article_id=item["id"], quote="elsewhere")
        assert "1 pages" in await fail(client, "read_article", article_id=item["id"], page=2)
        assert await fail(client, "save_link", url="no url")
        assert await fail(client, "read_article", article_id="x")
        assert await fail(client, "list_articles", cursor="AAAA")
        assert await fail(client, "nothing")
    async with connect(bob) as client:  # somebody else's is not there
        for tool, more in (("read_article", {}), ("tag_article", {"add": ["x"]}), ("create_highlight", {"quote": "W"})):
            assert "doesn't exist" in await fail(client, tool, article_id=item["id"], **more)
        assert "doesn't exist" in await fail(client, "list_highlights", article_id=item["id"])
        assert (await use(client, "search_articles", query="words"))["articles"] == []


async def test_a_token_that_may_only_read_gets_no_further(saving: RunningKept, ann: Person, origin: Origin) -> None:
    assert ann.user is not None
    item = await ann.save(origin.page("/a", "<title>A</title>"))
    async with connect(await saving.give_token(ann.user, {Scope.READ})) as client:
        assert (await use(client, "list_articles"))["articles"]
        for tool, arguments in (
            ("save_link", {"url": "https://example.org/"}),
            ("tag_article", {"article_id": item["id"], "add": ["x"]}),
            ("create_highlight", {"article_id": item["id"], "quote": "x"}),
        ):
            assert "scope write" in await fail(client, tool, **arguments)


async def test_an_assistant_pages_through_250_articles(saving: RunningKept, ann: Person) -> None:
    assert ann.user is not None
    save_many(saving.kept.database, ann.user.id, 250)
    async with connect(ann) as client:
        seen, cursor = list[str](), None
        while True:
            page = await use(client, "list_articles", view="all", limit=50, cursor=cursor)
            seen += [each["id"] for each in page["articles"]]
            if not (cursor := page["next_cursor"]):
                break
    assert len(seen) == len(set(seen)) == 250


async def test_without_a_token_or_from_another_sites_page_nothing_is_answered(
    saving: RunningKept, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    refused = await saving.nobody.post("/mcp", body, **accept)
    assert (refused.status, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert (await ann.post("/mcp", body, **accept, Origin="https://evil.example")).status == 403
    assert (await ann.post("/mcp", body, **accept, Origin=ann.address)).status == 200
    for path in ("/mcp", "/mcp/"):
        assert (await ann.post(path, body, **accept)).status == 200
        waiting = await ann.get(path)  # a stream that never ends would hold a connection
        assert (waiting.status, waiting.headers["Allow"]) == (405, "POST")
    odd_bodies: list[Any] = [[], {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "id": 1, "method": "x" * 9000}]
    for odd in odd_bodies:
        assert (await ann.post("/mcp", odd, **accept)).status < 500


async def test_a_server_without_the_extra_says_so(
    saving: RunningKept, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    [route] = [route for route in saving.app.router.routes if getattr(route, "path", "") == "/mcp"]
    monkeypatch.setattr(route.endpoint, "_serving", None)
    answer = await ann.post("/mcp", {})
    assert (answer.status, "pip install 'kept[mcp]'" in answer.json["error"]["message"]) == (404, True)


async def test_the_command_talks_over_standard_input_and_output(
    saving: RunningKept, ann: Person, origin: Origin, saving_url: str, tmp_path: Path
) -> None:
    await ann.save(origin.page("/a", "<title>Over stdio</title>"))
    environment = {**os.environ, "KEPT_DATABASE_URL": saving_url, "KEPT_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-c", "from kept.cli.main import main; main()", "mcp", "--user", "ann", "--read-only"]
    server = StdioServerParameters(command=command[0], args=command[1:], env=environment)
    async with Client(server) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        [article] = (await use(client, "list_articles", view="all"))["articles"]
        assert article["title"] == "Over stdio"
        assert "scope write" in await fail(client, "save_link", url="https://example.org/")
