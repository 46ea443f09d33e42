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
from support.builders.accounts import PASSWORD
from support.fixtures.databases import copy_sqlite
from support.servers.serving import Person, RunningKept, run_kept

PUBLIC_ROUTES = {
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /sign-in",
    "GET /setup",
    "GET /bot",
    "GET /kept.webmanifest",
    "GET /offline",
    "GET /sw.js",
    "GET /api/docs",
    # images for apps that send no token: who has no link cannot guess one
    "GET /linked-images/{user_id:uuid}/{kind}/{subject_id:uuid}/{signature}",
    # how an app gets a token: what it is let into is decided on a page
    "GET /readeck/api/info",
    "GET /readeck/.well-known/oauth-authorization-server",
    "POST /readeck/api/oauth/client",
    "POST /readeck/api/oauth/device",
    "POST /readeck/api/oauth/token",
    *(f"{method} /readeck/{{path:path}}" for method in ("GET", "POST", "PUT", "PATCH", "DELETE")),
    "POST /api/v1/connect/token",
    "POST /api/v1/connect/revoke",
}
# Revokes the token that it is asked with; its own test asks it (web/test_apps.py).
ENDS_ITS_TOKEN = "/readeck/api/oauth/revoke"
PUBLIC_FORMS = {
    "POST /api/v1/setup",
    "POST /api/v1/session",
    "POST /sign-in",
    "POST /sign-out",
    "POST /setup",
}

# by policy, whose tokens do not suffice
REFUSED = {
    "read": ["saver"],
    "read or save": [],
    "save": ["reader"],
    "write": ["reader", "saver"],
    "admin": ["reader", "saver", "writer"],
}


# No cookie counts there; tests/integration/compat/test_idor.py has their routes and policies.
OTHER_PROGRAMS = ("/wallabag", "/linkding")


def declared_routes() -> Iterator[tuple[str, str, str]]:
    for route in api_routes(create_app(Settings())):
        policy = policy_of(route)
        assert policy is not None
        assert route.path is not None
        if route.path.startswith(OTHER_PROGRAMS):
            continue
        for method in sorted(route.methods or ()):
            yield method, route.path, policy


GUARDED = [
    pytest.param(*route, id=f"{route[0]} {route[1]}")
    for route in declared_routes()
    if "public" not in route[2] and route[1] != ENDS_ITS_TOKEN
]
TAKES_COOKIES = [route for route in GUARDED if "by token" not in str(route.values[2])]


def with_ids(path: str) -> str:
    while "{" in path:
        path = path[: path.index("{")] + str(uuid4()) + path[path.index("}") + 1 :]
    return path


def test_only_these_routes_are_open_to_everybody() -> None:
    open_routes = {(f"{method} {path}", policy) for method, path, policy in declared_routes() if "public" in policy}
    expected = {(route, "public") for route in PUBLIC_ROUTES} | {(route, "public form") for route in PUBLIC_FORMS}
    assert open_routes == expected


def test_an_application_with_an_undeclared_route_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    from kept import asgi
    from kept.api.routes import health

    careless = APIRouter()
    careless.add_api_route("/careless", lambda: None)
    monkeypatch.setattr(health, "router", careless)
    monkeypatch.setattr(asgi, "list_routes", asgi.list_routes.__wrapped__)
    with pytest.raises(RuntimeError, match="/careless must declare exactly one policy"):
        create_app(Settings())


@dataclass(frozen=True)
class Cast:
    """One Kept for all routes, and who may do what in it."""

    running: RunningKept
    reader: Person
    saver: Person
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
            await running.give_token(ann, {Scope.SAVE}),
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
    by_cookie = await status(running.nobody, Cookie=cookie, Origin=running.address)
    assert by_cookie == 401 if "by token" in policy else by_cookie not in {401, 403}
    refused = [name for name in REFUSED["admin"] if await status(getattr(cast, name)) == 403]
    assert refused == REFUSED[policy.partition(" ")[0] if "by token" in policy else policy]
    assert await status(cast.admin) != 403


@pytest.mark.parametrize(("method", "path", "policy"), [p for p in TAKES_COOKIES if p.values[0] != "GET"])
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
