"""HEAD, wherever GET is answered: the same headers, and the body is not even made."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

NO_BODY: Final[Message] = {"type": "http.response.body", "body": b"", "more_body": False}


class HeadersSent(Exception):
    """Ends the handler of a HEAD request: a stream would go on, perhaps for ever."""


class HeadMiddleware:
    """Lets the handlers of GET answer HEAD."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_headers(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.start":
                await send(NO_BODY)
                raise HeadersSent

        # A copy: the server looks at the method in its own scope, so as not to send a body.
        inner = {**scope, "method": "GET"}
        try:
            await self.app(inner, receive, send_headers)
        except HeadersSent:
            pass
        finally:
            scope["route"] = inner.get("route")
