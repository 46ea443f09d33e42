"""A Kept that listens on loopback inside the test's own event loop, and people who use it over HTTP."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import uvicorn
from argon2 import PasswordHasher

from kept.asgi import Server, create_app
from kept.bootstrap import Kept
from kept.config import Settings
from kept.domain.account import Scope, User, Viewer
from kept.services.accounts.create_token import create_token
from kept.services.accounts.create_user import create_user
from support.transactions import writing

# The cheapest argon2 there is: tests are about our rules, not about its strength.
PASSWORD = "correct horse battery"
PASSWORD_HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Any
    body: bytes
    json: Any

    @property
    def data(self) -> Any:
        return self.json["data"]

    @property
    def error_code(self) -> str:
        return str(self.json["error"]["code"])


@dataclass(frozen=True)
class Person:
    """Somebody with (or without) a token, and the address of the Kept they use."""

    address: str
    token: str | None = None
    user: User | None = None
    headers: dict[str, str] = field(default_factory=dict)

    async def call(self, method: str, path: str, json: Any = None, **headers: str) -> Answer:
        sent = {**self.headers, **headers}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.request(method, self.address + path, json=json, headers=sent, allow_redirects=False) as response,
        ):
            is_endless = response.content_type == "text/event-stream"
            body = b"" if is_endless else await response.read()
            is_json = response.content_type == "application/json"
            return Answer(response.status, response.headers, body, await response.json() if is_json else None)

    async def get(self, path: str, **headers: str) -> Answer:
        return await self.call("GET", path, **headers)

    async def post(self, path: str, json: Any = None, **headers: str) -> Answer:
        return await self.call("POST", path, json, **headers)

    async def patch(self, path: str, json: Any) -> Answer:
        return await self.call("PATCH", path, json)

    async def delete(self, path: str) -> Answer:
        return await self.call("DELETE", path)


@dataclass(frozen=True)
class RunningKept:
    address: str
    kept: Kept
    app: Any

    @property
    def nobody(self) -> Person:
        return Person(self.address)

    def make_user(self, name: str, *, is_admin: bool = False) -> User:
        with writing(self.kept.database) as tx:
            return create_user(tx, name=name, password_hash=PASSWORD_HASH, is_admin=is_admin, now=self.kept.now())

    async def make_person(self, name: str, *, is_admin: bool = False, scopes: set[Scope] | None = None) -> Person:
        user = self.make_user(name, is_admin=is_admin)
        return await self.give_token(user, scopes)

    async def give_token(self, user: User, scopes: set[Scope] | None = None) -> Person:
        allowed = frozenset(Scope) if user.is_admin else frozenset({Scope.READ, Scope.WRITE})
        viewer = Viewer(user, frozenset(Scope))
        _, token = await create_token(
            self.kept.database, viewer, name="test", scopes=frozenset(scopes or allowed), now=self.kept.now()
        )
        return Person(self.address, token, user)


@contextlib.asynccontextmanager
async def run_kept(settings: Settings) -> AsyncIterator[RunningKept]:
    app = create_app(settings)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = Server(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=2))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        if serving.done():
            await serving
        await asyncio.sleep(0.005)
    try:
        yield RunningKept(f"http://127.0.0.1:{listener.getsockname()[1]}", app.state.kept, app)
    finally:
        server.should_exit = True
        await serving
