"""Readeck's API as its clients use it."""

from typing import Any
from uuid import UUID

from kept.compat.readeck.bookmarks_out import write_id
from support.builders.articles import ingest
from support.servers.origin import Origin
from support.servers.serving import Answer, Person, RunningKept

API = "/readeck/api"
ARTICLE = "<section><p>The harbour was quiet.</p><p>Nobody <em>thought</em> of the storm &amp; wind.</p></section>"


async def keep(
    saving: RunningKept, person: Person, origin: Origin, path: str, html: str = ARTICLE, **fields: Any
) -> str:
    """Save a page and its article; the id that Readeck's clients know it by."""
    item = await person.save(origin.page(path, f"<title>Page {path}</title>"), **fields)
    ingest(saving.kept.database, item["media_id"], html, base_url=origin.url(path))
    return write_id(UUID(item["id"]))


async def call(person: Person, method: str, path: str, json: Any = None, **headers: str) -> Answer:
    return await person.call(method, f"{API}{path}", json, **headers)


async def list_ids(person: Person, query: str = "") -> list[str]:
    answer = await call(person, "GET", f"/bookmarks{query}")
    assert answer.status == 200, answer.body
    return [bookmark["id"] for bookmark in answer.json]
