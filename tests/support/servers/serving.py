"""A Kept that listens on loopback inside the test's own event loop, and people who use it over HTTP."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import aiohttp
import uvicorn

from kept.api.connections import DEFAULT_LIMITS, ConnectionLimits
from kept.asgi import Server, create_app, create_server_config
from kept.config import Limits, Settings
from kept.domain.account import Scope, User
from kept.wiring.server import Kept, open_kept
from support.builders.accounts import make_token, make_user
from support.servers.cards import SharedCardPool
from support.servers.origin import Origin

PATIENT: Final = Limits(
    save_fetch_seconds=20.0, save_budget_seconds=25.0, page_read_seconds=60.0, document_read_seconds=60.0
)
"""For tests that are about what a save answers, not when: test machines are busy."""


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

    async def call(self, method: str, path: str, json: Any = None, data: Any = None, **headers: str) -> Answer:
        sent = {**self.headers, **headers}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.request(
                method, self.address + path, json=json, data=data, headers=sent, allow_redirects=False
            ) as response,
        ):
            is_endless = response.content_type == "text/event-stream"
            body = b"" if is_endless else await response.read()
            is_json = response.content_type == "application/json"
            return Answer(response.status, response.headers, body, await response.json() if is_json else None)

    async def get(self, path: str, **headers: str) -> Answer:
        return await self.call("GET", path, **headers)

    async def post(self, path: str, json: Any = None, **headers: str) -> Answer:
        return await self.call("POST", path, json, **headers)

    async def send(self, path: str, data: Any, **headers: str) -> Answer:
        """POST a form or a file."""
        return await self.call("POST", path, data=data, **headers)

    async def save(self, url: str, **fields: Any) -> Any:
        """Save a link; the item as the API tells it."""
        answer = await self.post("/api/v1/items", {"url": url, **fields})
        assert answer.status in {200, 201}, answer.body
        return answer.data

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
        return make_user(self.kept.database, name, is_admin=is_admin)

    async def make_person(self, name: str, *, is_admin: bool = False, scopes: set[Scope] | None = None) -> Person:
        user = self.make_user(name, is_admin=is_admin)
        return await self.give_token(user, scopes)

    async def give_token(self, user: User, scopes: set[Scope] | None = None) -> Person:
        return Person(self.address, await make_token(self.kept.database, user, scopes), user)


def settings_reaching(origin: Origin, database_url: str, data_dir: Path, **others: Any) -> Settings:
    """Settings of a Kept that may fetch from `origin`."""
    ports = frozenset({80, origin.port})
    chosen = {"fetch_allow": origin.allowance, "fetch_ports": ports, **others}
    return Settings(database_url=database_url, data_dir=data_dir, **chosen)


def change_limits(settings: Settings, **changes: Any) -> Settings:
    """The same settings, with these limits instead of their own."""
    return settings.model_copy(update={"limits": settings.limits.model_copy(update=changes)})


class PromptServer(Server):
    """Stops when it is told to. uvicorn looks every tenth of a second and waits another one, which two thousand tests
    would wait for; how it stops is tested where Kept runs as a process."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._told_to_stop = asyncio.Event()

    def stop(self) -> None:
        self.should_exit = True
        self._told_to_stop.set()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self._told_to_stop.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app: Any = self.config.app
        app.state.is_stopping = True
        app.state.kept.feed.close()
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(0.002)
        for task in self.server_state.tasks:
            task.cancel()
        await self.lifespan.shutdown()


@contextlib.asynccontextmanager
async def run_kept(settings: Settings, limits: ConnectionLimits = DEFAULT_LIMITS) -> AsyncIterator[RunningKept]:
    app = create_app(settings, partial(open_kept, open_cards=SharedCardPool.from_settings))
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    config = create_server_config(app, settings, limits)
    server = PromptServer(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        if serving.done():
            await serving
        await asyncio.sleep(0.005)
    try:
        yield RunningKept(f"http://127.0.0.1:{listener.getsockname()[1]}", app.state.kept, app)
    finally:
        server.stop()
        await serving
