"""A web site on loopback that does as it is told, and remembers who asked."""

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@dataclass
class Origin:
    port: int = 0
    host: str = "127.0.0.1"
    handlers: dict[str, Handler] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    seen: list[web.BaseRequest] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def allowance(self) -> str:
        """For KEPT_FETCH_ALLOW."""
        return f"127.0.0.0/8:{self.port}"

    def url(self, path: str) -> str:
        return self.address + path

    def page(
        self, path: str, html: str, *, status: int = 200, seconds: float = 0, content_type: str = "text/html"
    ) -> str:
        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            await asyncio.sleep(seconds)
            return web.Response(text=html, status=status, content_type=content_type)

        return self.on(path, answer)

    def file(self, path: str, body: bytes, content_type: str) -> str:
        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            return web.Response(body=body, content_type=content_type)

        return self.on(path, answer)

    def redirect(self, path: str, target: str) -> str:
        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            return web.Response(status=302, headers={"Location": target})

        return self.on(path, answer)

    def on(self, path: str, handler: Handler) -> str:
        self.handlers[path] = handler
        return self.url(path)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.requests[request.path] += 1
        self.seen.append(request)
        handler = self.handlers.get(request.path)
        if handler is None:
            return web.Response(status=404, text="<title>Not here</title>", content_type="text/html")
        return await handler(request)


@asynccontextmanager
async def run_origin(*hosts: str) -> AsyncIterator[Origin]:
    """Listens on 127.0.0.1 and on further loopback addresses, which are other sites as far as Kept can tell."""
    origin = Origin()
    server = web.Server(origin.answer)
    runner = web.ServerRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    for listener in listen(origin.host, *hosts):
        origin.port = listener.getsockname()[1]
        await web.SockSite(runner, listener).start()
    try:
        yield origin
    finally:
        await runner.cleanup()


def listen(*hosts: str) -> list[socket.socket]:
    """On one port of all of them. A port that is free at one address may be taken at another."""
    for _ in range(20):
        listeners: list[socket.socket] = []
        try:
            for host in hosts:
                port = listeners[0].getsockname()[1] if listeners else 0
                listeners.append(socket.create_server((host, port)))
            return listeners
        except OSError:
            for listener in listeners:
                listener.close()
    raise OSError(f"no port is free on all of {hosts}")


def article(
    title: str | None = "A title",
    excerpt: str | None = "An excerpt.",
    image: str | None = "/picture.jpg",
    body: str = "",
) -> str:
    """A page with as much metadata as asked for."""
    parts = [
        f'<meta property="og:title" content="{title}">' if title else "",
        f'<meta property="og:description" content="{excerpt}">' if excerpt else "",
        f'<meta property="og:image" content="{image}">' if image else "",
    ]
    return f"<!doctype html><html><head>{''.join(parts)}</head><body>{body}</body></html>"
