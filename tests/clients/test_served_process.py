"""One client of each kind against `kept serve` in a process of its own, with the worker that it starts."""

import io
import json
import zipfile
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from readeck import ReadeckClient

from support.servers.client_environments import DRIVERS, make_node_client, make_python_client, run_client
from support.servers.serving import Person

NOWHERE = "https://page.invalid/"  # whether it can be fetched is not what is asked here


async def test_the_readeck_package_lists_reads_and_changes(served: Person, article: int) -> None:
    async with ReadeckClient(f"{served.address}/readeck", served.token or "") as client:
        [bookmark] = [one for one in await client.get_bookmarks() if one.title == "The harbour"]
        assert bookmark.labels == ["sea"]
        assert "storm to come" in str(await client.export_bookmark(bookmark.id))


async def test_wallabag_api_of_npm_goes_through_its_repertoire(served: Person, article: int) -> None:
    modules = make_node_client("wallabag-api", "wallabag-api@0.2.3")
    script = str(DRIVERS / "wallabag_api.cjs")
    printed = await run_client("node", script, str(modules), served.address, served.token or "", NOWHERE, http_proxy="")
    told: dict[str, Any] = json.loads(printed)
    assert (told["expires"], told["refreshed"], told["same"]) == (3600, "bearer", True)
    assert told["changed"] == {"title": "Titled", "starred": 1, "archived": 1, "tags": ["b", "c"]}
    assert told["gone"]["error"] == "not_found"


async def test_aiolinkding_goes_through_its_repertoire(served: Person, article: int) -> None:
    programs = make_python_client("aiolinkding", "aiolinkding==2025.2.0")
    script = str(DRIVERS / "aiolinkding_client.py")
    printed = await run_client(str(programs / "python"), script, served.address, served.token or "", NOWHERE)
    told: dict[str, Any] = json.loads(printed)
    assert told["listed"] == told["count"] == 1
    assert told["changed"] == {"title": "U", "notes": "N", "tag_names": ["three"]}
    assert told["gone"]
    assert told["unknown_token"]


async def test_koreader_downloads_a_book_and_an_assistant_reads_it(served: Person, article: int) -> None:
    feed = (await served.get("/opds/unread")).body.decode()
    path = feed.partition('rel="http://opds-spec.org/acquisition" href="')[2].partition('"')[0]
    head = await served.call("HEAD", path.removeprefix(served.address))
    assert 'filename="' in head.headers["Content-Disposition"]
    book = zipfile.ZipFile(io.BytesIO((await served.get(path.removeprefix(served.address))).body))
    assert any("storm to come" in book.read(name).decode() for name in book.namelist() if name.endswith("xhtml"))
    headers = {"Authorization": f"Bearer {served.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{served.address}/mcp", http_client=http)) as client,
    ):
        found = await client.call_tool("search_articles", {"query": "harbour"})
        assert "The harbour" in json.dumps(found.structured_content)
