"""Who is behind a request of another program's client: an API token of Kept, or an access token made from one.

No cookie counts here: these APIs are for apps, and no web page can make a browser use them.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Final

from fastapi import Depends, Request

from kept.api.access import POLICIES, get_kept
from kept.domain.account import Scope, Viewer
from kept.domain.errors import Forbidden, Unauthorized
from kept.services.accounts.authenticate_app import authenticate_app

SCHEMES: Final = frozenset({"bearer", "token"})


def find_secret(request: Request) -> str | None:
    """Of `Authorization: Bearer …`, or `Token …` as linkding has it."""
    scheme, _, secret = request.headers.get("authorization", "").strip().partition(" ")
    return secret.strip() or None if scheme.lower() in SCHEMES else None


def require_app_scope(scope: Scope) -> Callable[[Request], Awaitable[Viewer]]:
    async def policy(request: Request) -> Viewer:
        kept, secret = await get_kept(request), find_secret(request)
        viewer = await authenticate_app(kept.database, secret, now=kept.now()) if secret else None
        if viewer is None:
            raise Unauthorized("The access token is missing, or it is not valid.")
        if not viewer.may(scope):
            raise Forbidden(f"This requires a token with the scope {scope}.")
        return viewer

    return policy


app_read_policy = require_app_scope(Scope.READ)
app_write_policy = require_app_scope(Scope.WRITE)
POLICIES[app_read_policy] = "app read"
POLICIES[app_write_policy] = "app write"

AppReader = Annotated[Viewer, Depends(app_read_policy)]
AppWriter = Annotated[Viewer, Depends(app_write_policy)]
