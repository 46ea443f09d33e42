"""Real clients of wallabag and linkding, each driven through its whole repertoire against a running Kept."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from support.builders.articles import BODY, ingest
from support.builders.many_items import fill_with_items
from support.servers.client_environments import DRIVERS, make_node_client, make_python_client, run_client
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "clients of wallabag and linkding work with Kept")

ITEMS = 250
EXPORTS = ("epub", "txt", "csv", "json", "xml", "html")


@pytest.fixture
async def library(saving: RunningKept, ann: Person) -> Person:
    """250 items, half of them archived, one of twenty tags on each."""
    assert ann.user is not None
    fill_with_items(saving.kept.database, ann.user.id, ITEMS)
    return ann


@pytest.fixture
def page(origin: Origin) -> str:
    return origin.page("/page", f"<title>A page</title>{BODY}")


async def make_ready(saving: RunningKept, person: Person) -> int:
    """The number of an entry that has an article and an annotation."""
    entry = (await person.post("/wallabag/api/entries", {"url": "https://ready.example/", "title": "Ready"})).json
    item = (await person.get("/api/v1/items?limit=1")).json["data"][0]
    ingest(saving.kept.database, item["media_id"], "<h2>Heading</h2><p>Words of the article.</p>")
    made = await person.post(f"/wallabag/api/annotations/{entry['id']}", {"quote": "Words", "text": "my note"})
    assert made.status == 200
    return int(entry["id"])


async def test_wallabag_client_from_pypi(saving: RunningKept, library: Person, page: str, tmp_path: Path) -> None:
    programs = make_python_client("wallabag-client", "wallabag-client==1.8.12")
    ready = await make_ready(saving, library)
    (tmp_path / "ready").write_text(str(ready))
    script = str(DRIVERS / "wallabag_client.py")
    printed = await run_client(
        str(programs / "python"), script, library.address, library.token or "", page, str(tmp_path)
    )
    told: dict[str, Any] = json.loads(printed.splitlines()[-1])
    assert told["is_minimum_version"]
    assert told["validator"]
    assert told["count"] == ITEMS + 1
    assert len(told["list"].strip().splitlines()) == ITEMS + 1 + 2  # all at once, between two rules
    assert "Ready" in told["untagged"]
    assert "Added" in told["add"]
    assert told["add_again"] == "The url was already saved."
    assert told["added"] == {"starred": True, "read": False, "tags": told["added"]["tags"]}
    assert set(told["added"]["tags"].split()) == {"one", "two"}
    assert told["changed"] == {"title": "Changed", "starred": False, "read": True}
    assert "tag-1" in told["tags"]
    assert "three" in told["entry_tags"]
    assert "of the article." in told["show"]
    assert "Words" in told["annotations"]
    files = {kind: Path(told[f"export_{kind}"].removeprefix("Exported to: ")) for kind in EXPORTS}
    with zipfile.ZipFile(files.pop("epub")) as book:
        assert book.namelist()[0] == "mimetype"
    for kind, file in files.items():
        assert "of the article." in file.read_text(), kind
    left = await library.get(f"/wallabag/api/entries/{ready}")
    assert left.json["annotations"] == []
    assert told["count_after"] == ITEMS + 1 - sum(number % 500 % 20 == 3 for number in range(ITEMS))


async def test_wallabag_api_from_npm(saving: RunningKept, library: Person, page: str) -> None:
    modules = make_node_client("wallabag-api", "wallabag-api@0.2.3")
    script = str(DRIVERS / "wallabag_api.cjs")
    told: dict[str, Any] = json.loads(
        await run_client("node", script, str(modules), library.address, library.token or "", page, http_proxy="")
    )
    assert told["version"] == "2.6.13"
    assert told["refused"]["error"] == "invalid_grant"
    assert (told["expires"], told["refreshed"]) == (3600, "bearer")
    assert told["listed"] == ITEMS // 2
    assert told["past"]["error"] == "not_found"
    assert (told["same"], told["exists"]) == (True, {"exists": True})
    assert told["changed"] == {"title": "Titled", "starred": 1, "archived": 1, "tags": ["b", "c"]}
    assert (told["tags"], told["all"], told["deleted"]) == (2, 22, True)
    assert told["gone"]["error"] == "not_found"


async def test_aiolinkding_from_pypi(saving: RunningKept, library: Person, page: str) -> None:
    programs = make_python_client("aiolinkding", "aiolinkding==2025.2.0")
    script = str(DRIVERS / "aiolinkding_client.py")
    told: dict[str, Any] = json.loads(
        await run_client(str(programs / "python"), script, library.address, library.token or "", page)
    )
    assert (told["listed"], told["count"], told["archived"]) == (ITEMS // 2, ITEMS // 2, ITEMS // 2)
    assert told["found"] == sum(number % 20 == 2 for number in range(0, ITEMS, 2))
    expected = {"title": "T", "description": "D", "notes": "N", "tag_names": ["one", "two"], "unread": True}
    assert told["made"] == expected
    assert told["changed"] == {"title": "U", "notes": "N", "tag_names": ["three"]}
    assert told["is_archived"]
    assert (told["tag"], told["theme"]) == ("refused", "auto")
    assert told["tags"] == 23
    assert told["single"]
    assert told["gone"]
    assert told["refused"]
    assert told["unknown_token"]


async def test_linkding_cli_from_pypi(saving: RunningKept, library: Person, page: str, tmp_path: Path) -> None:
    programs = make_python_client("linkding-cli", "linkding-cli==2024.9.0", "click<8.2")

    async def linkding(*arguments: str) -> Any:
        """What it prints: JSON, or a sentence."""
        connection = ("-u", f"{library.address}/linkding", "-t", library.token or "")
        printed = await run_client(str(programs / "linkding"), *connection, *arguments, HOME=str(tmp_path))
        return json.loads(printed) if printed.startswith("{") else printed

    listed = await linkding("bookmarks", "all", "--limit", "1000")
    assert (listed["count"], len(listed["results"])) == (ITEMS // 2, ITEMS // 2)
    made = await linkding("bookmarks", "create", page, "--title", "T", "--tags", "one,two")
    assert (made["title"], made["tag_names"]) == ("T", ["one", "two"])
    number = str(made["id"])
    await linkding("bookmarks", "archive", number)
    assert (await linkding("bookmarks", "get", number))["is_archived"]
    assert (await linkding("bookmarks", "update", number, "--title", "U"))["title"] == "U"
    await linkding("bookmarks", "delete", number)
    assert (await linkding("tags", "all"))["count"] == 22
    assert (await linkding("user", "profile"))["theme"] == "auto"
