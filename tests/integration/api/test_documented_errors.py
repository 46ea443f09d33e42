"""The OpenAPI document names the errors of each route: those that happen when each is asked wrongly, and no others."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import aiohttp
import pytest

from kept.asgi import create_app
from kept.config import Limits, Settings
from kept.domain.account import Scope
from kept.domain.errors import Unavailable
from kept.storage.database.engine import Database
from support.builders.accounts import PASSWORD
from support.builders.page_files import page
from support.fixtures.databases import copy_sqlite
from support.servers.serving import Answer, Person, RunningKept, run_kept

pytestmark = pytest.mark.requirement("Kept", "the OpenAPI document is honest")

# The situations below bring these about wherever they can happen. 409 and 502 need a history of their own.
BROUGHT_ABOUT = {400, 401, 403, 404, 413, 429, 503}
NOWHERE = {"library_id": str(uuid4())}
BODIES: dict[str, dict[str, Any]] = {
    "POST /api/v1/items": {"url": "https://example.org/", "wait": False} | NOWHERE,
    "PATCH /api/v1/items/{item_id}": {"note": "x"},
    "POST /api/v1/items/{item_id}/move": NOWHERE,
    "POST /api/v1/items/captures": {"item_ids": [str(uuid4())]},
    "POST /api/v1/media/web-articles": {"url": "https://example.org/"} | NOWHERE,
    "POST /api/v1/media/from_url": {"url": "https://example.org/"},
    "POST /api/v1/media/{media_id}/highlights": {"exact": "x"},
    "PATCH /api/v1/highlights/{highlight_id}": {"note": "x"},
    "POST /api/v1/libraries": {"name": "Team"},
    "PATCH /api/v1/libraries/{library_id}": {"name": "Team"},
    "POST /api/v1/libraries/{library_id}/members": {"user_name": "bob"},
    "PATCH /api/v1/libraries/{library_id}/members/{user_id}": {"role": "admin"},
    "POST /api/v1/setup": {"token": "wrong", "name": "eve", "password": "long enough to be one"},
    "POST /api/v1/session": {"name": "eve", "password": "long enough to be one"},
    "POST /api/v1/connect/token": {"code": "c" * 43, "verifier": "v" * 43},
    "POST /api/v1/connect/revoke": {"token": "t" * 43},
    "POST /api/v1/tokens": {"name": "phone", "scopes": ["read"]},
    "POST /api/v1/ingest": NOWHERE,
    "POST /api/v1/me/password": {"current": "wrong, all wrong", "new": "long enough to be one"},
    "POST /api/v1/users": {"name": "eve", "password": "long enough to be one"},
}
UNKNOWN_LIBRARY = {"/api/v1/items", "/api/v1/search", "/api/v1/export", "/api/v1/imports", "/api/v1/tags"}
UNKNOWN_URL = "?url=https://nowhere.example/"


def list_operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in create_app(Settings()).openapi()["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


OPERATIONS = dict(list_operations())


@pytest.fixture(scope="module")
async def strict(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningKept]:
    """A Kept that is soon asked too often, and takes small uploads."""
    folder = tmp_path_factory.mktemp("documented")
    rates: dict[str, Any] = {"save_rate": "1/day", "login_rate": "1/day"}
    settings = Settings(
        database_url=copy_sqlite(sqlite_template, folder),
        data_dir=folder,
        max_import_bytes=100_000,
        limits=Limits(max_page_upload_bytes=10_000, max_document_bytes=10_000),
        **rates,
    )
    async with run_kept(settings) as running:
        yield running


@pytest.fixture(scope="module")
async def lenient(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningKept]:
    folder = tmp_path_factory.mktemp("lenient")
    rates: dict[str, Any] = {"save_rate": "100000/day", "login_rate": "100000/day"}
    async with run_kept(
        Settings(database_url=copy_sqlite(sqlite_template, folder), data_dir=folder, **rates)
    ) as running:
        yield running


def spell(path: str, value: str | None = None) -> str:
    """The path, with ids that lead nowhere or with `value` in their place."""
    path = path.replace("{file_format}", value or "txt").replace("{highlight_format}", value or "md")
    path = path.replace("{page_format}", value or "png").replace("{page}", value or "1")
    return re.sub(r"\{\w+\}", lambda _: value or str(uuid4()), path)


class Asking:
    """One route, asked in every wrong way."""

    def __init__(self, route: str, running: RunningKept) -> None:
        self.route, self.running = route, running
        self.method, self.path = route.split(" ")
        self.operation = OPERATIONS[route]

    @property
    def takes_body(self) -> bool:
        return "requestBody" in self.operation

    async def ask(self, person: Person, **headers: str) -> Answer:
        query = "?q=x&library_id=" + NOWHERE["library_id"] if self.path in UNKNOWN_LIBRARY else ""
        if self.path == "/api/v1/imports" and self.method == "POST":
            return await person.call("POST", self.path + query, data=b"https://example.org/", **headers)
        if self.path == "/api/v1/items/page":
            form = aiohttp.FormData({"url": "https://example.org/", **NOWHERE})
            form.add_field("file", page().encode(), filename="page.html")
            return await person.send(self.path, form, **headers)
        if self.path == "/api/v1/items/file":
            form = aiohttp.FormData(NOWHERE)
            form.add_field("file", b"Some text.", filename="note.txt", content_type="text/plain")
            return await person.send(self.path, form, **headers)
        query = query if self.method == "GET" else ""
        if self.path != "/api/v1/search":
            query = query.replace("q=x&", "")
        if self.path == "/api/v1/lookup":
            query = UNKNOWN_URL
        own = headers if self.method != "POST" or "Origin" in headers else {"Origin": self.running.address, **headers}
        return await person.call(self.method, spell(self.path) + query, BODIES.get(self.route), **own)

    async def ask_nonsense(self, person: Person) -> list[Answer]:
        answers = [await person.call(self.method, spell(self.path, "nonsense"), BODIES.get(self.route))]
        parameters = [p["name"] for p in self.operation.get("parameters", ()) if p["in"] == "query"]
        for name in parameters:
            wrong = f"{spell(self.path)}?{name}={quote(chr(0) + 'x' * 11_000)}"
            answers.append(await person.call(self.method, wrong))
        if self.takes_body:
            headers = {"Content-Type": "application/json", "Origin": self.running.address}
            answers.append(await person.call(self.method, spell(self.path), data=b"[]", **headers))
        return answers

    async def ask_at_length(self, person: Person) -> list[Answer]:
        if not self.takes_body:
            return []
        body, headers = b"x" * 2 * 1024 * 1024, {"Content-Type": "application/json", "Origin": self.running.address}
        return [await person.call(self.method, spell(self.path), data=body, **headers)]


async def find_statuses(route: str, lenient: RunningKept, strict: RunningKept) -> set[int]:
    found: list[Answer] = []
    asking, name = Asking(route, lenient), uuid4().hex[:8]
    root = await lenient.make_person(f"root-{name}", is_admin=True)
    assert root.user is not None
    reader = await lenient.give_token(root.user, {Scope.READ})
    found += [await asking.ask(lenient.nobody), await asking.ask(reader), await asking.ask(root)]
    found += await asking.ask_nonsense(root)
    other_site = {"Origin": "https://evil.example"}
    found.append(
        await asking.ask(Person(lenient.address, headers={"Cookie": await get_cookie(lenient, root)}), **other_site)
    )
    asking, root = Asking(route, strict), await strict.make_person(f"root-{name}", is_admin=True)
    found += await asking.ask_at_length(root)
    found += [await asking.ask(root) for _ in range(6)]  # a page of a document may be asked for five times as often
    return {answer.status for answer in found if answer.status >= 400}


async def get_cookie(running: RunningKept, person: Person) -> str:
    assert person.user is not None
    body = {"name": person.user.name, "password": PASSWORD}
    answer = await running.nobody.post("/api/v1/session", body, Origin=running.address)
    return str(answer.headers["Set-Cookie"]).partition(";")[0]


async def find_outage(route: str, lenient: RunningKept, monkeypatch: pytest.MonkeyPatch) -> set[int]:
    root = await lenient.make_person(f"root-{uuid4().hex[:8]}", is_admin=True)

    async def fail(*_: object, **__: object) -> None:
        raise Unavailable("away")

    with monkeypatch.context() as patched:
        for name in ("read", "write", "write_relaxed", "check"):
            patched.setattr(Database, name, fail)
        status = (await Asking(route, lenient).ask(root)).status
    return {status} if status >= 400 else set()


@pytest.mark.parametrize("route", [route for route in OPERATIONS if not route.endswith(("/metrics", "/readyz"))])
async def test_a_route_documents_the_errors_that_happen_and_no_others(
    route: str, lenient: RunningKept, strict: RunningKept, monkeypatch: pytest.MonkeyPatch
) -> None:
    documented = {int(status) for status in OPERATIONS[route]["responses"] if int(status) >= 400}
    happened = await find_statuses(route, lenient, strict) | await find_outage(route, lenient, monkeypatch)
    assert happened <= documented
    assert documented & BROUGHT_ABOUT == happened & BROUGHT_ABOUT


def test_every_error_has_a_description_and_the_envelope() -> None:
    for route, operation in OPERATIONS.items():
        for status, response in operation["responses"].items():
            if int(status) >= 400 and route != "GET /readyz":
                assert response["description"], (route, status)
                assert response["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorEnvelope")
