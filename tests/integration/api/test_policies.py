"""Every route × every kind of credential. A new route without a policy, or without a line here, fails."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from fastapi import APIRouter

from kept.api.access import api_routes, policy_of
from kept.asgi import create_app
from kept.config import Settings
from kept.domain.account import Scope
from support.accounts import PASSWORD
from support.databases import copy_sqlite
from support.serving import Person, RunningKept, run_kept

PUBLIC_ROUTES = {
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /sign-in",
    "GET /setup",
    "GET /bot",
    "GET /offline",
    "GET /sw.js",
    "GET /api/docs",
}
PUBLIC_FORMS = {
    "POST /api/v1/setup",
    "POST /api/v1/session",
    "POST /sign-in",
    "POST /sign-out",
    "POST /setup",
}


def declared_routes() -> Iterator[tuple[str, str, str]]:
    for route in api_routes(create_app(Settings())):
        policy = policy_of(route)
        assert policy is not None
        assert route.path is not None
        for method in sorted(route.methods or ()):
            yield method, route.path, policy


GUARDED = [pytest.param(*route, id=f"{route[0]} {route[1]}") for route in declared_routes() if "public" not in route[2]]


def with_ids(path: str) -> str:
    while "{" in path:
        path = path[: path.index("{")] + str(uuid4()) + path[path.index("}") + 1 :]
    return path


def test_only_these_routes_are_open_to_everybody() -> None:
    open_routes = {(f"{method} {path}", policy) for method, path, policy in declared_routes() if "public" in policy}
    expected = {(route, "public") for route in PUBLIC_ROUTES} | {(route, "public form") for route in PUBLIC_FORMS}
    assert open_routes == expected


def test_an_application_with_an_undeclared_route_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    from kept.api.routes import health

    careless = APIRouter()
    careless.add_api_route("/careless", lambda: None)
    monkeypatch.setattr(health, "router", careless)
    with pytest.raises(RuntimeError, match="/careless must declare exactly one policy"):
        create_app(Settings())


@dataclass(frozen=True)
class Cast:
    """One Kept for all routes, and who may do what in it."""

    running: RunningKept
    reader: Person
    writer: Person
    admin: Person


@pytest.fixture(scope="module")
async def cast(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    folder = tmp_path_factory.mktemp("policies")
    url = copy_sqlite(sqlite_template, folder)
    async with run_kept(Settings(database_url=url, data_dir=folder, login_rate="10000/minute")) as running:
        ann, root = running.make_user("ann"), running.make_user("root", is_admin=True)
        yield Cast(
            running,
            await running.give_token(ann, {Scope.READ}),
            await running.give_token(ann),
            await running.give_token(root),
        )


@pytest.mark.parametrize(("method", "path", "policy"), GUARDED)
async def test_a_guarded_route_lets_in_who_may_and_nobody_else(cast: Cast, method: str, path: str, policy: str) -> None:
    running = cast.running
    url = with_ids(path)

    async def status(person: Person, **headers: str) -> int:
        return (await person.call(method, url, **headers)).status

    for stranger in (running.nobody, Person(running.address, "kept_wrong"), Person(running.address, "wrong")):
        assert await status(stranger) == 401
    assert await status(running.nobody, Cookie="kept_session=wrong", Origin=running.address) == 401
    cookie = await sign_in(running, "root")
    assert await status(running.nobody, Cookie=cookie, Origin=running.address) not in {401, 403}
    expected = {"read": (False, False, False), "write": (True, False, False), "admin": (True, True, False)}[policy]
    refused = tuple([await status(person) == 403 for person in (cast.reader, cast.writer, cast.admin)])
    assert refused == expected


@pytest.mark.parametrize(("method", "path", "policy"), [p for p in GUARDED if p.values[0] != "GET"])
async def test_a_cookie_from_another_site_changes_nothing(cast: Cast, method: str, path: str, policy: str) -> None:
    running = cast.running
    cookie = await sign_in(running, "root")
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": running.address},
        {"Sec-Fetch-Site": "same-site", "Origin": running.address},
        {},
    ):
        answer = await running.nobody.call(method, with_ids(path), Cookie=cookie, **headers)
        assert (answer.status, answer.error_code) == (403, "E_FORBIDDEN"), headers


async def sign_in(running: RunningKept, name: str) -> str:
    answer = await running.nobody.post("/api/v1/session", {"name": name, "password": PASSWORD}, Origin=running.address)
    assert answer.status == 201
    return str(answer.headers["Set-Cookie"]).partition(";")[0]
