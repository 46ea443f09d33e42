"""Who calls another program's API: always by a token, as bearer or as the password of HTTP Basic, never by a cookie."""

import binascii
from base64 import b64decode
from typing import Annotated, Final

from fastapi import Depends, Request

from kept.api.access import POLICIES, get_kept, require_scope
from kept.domain.account import Scope, Viewer
from kept.services.accounts.authenticate import authenticate

MAX_CREDENTIALS: Final = 4_000


def find_token(header: str) -> str | None:
    """Of `Bearer TOKEN` or `Basic …`, whose password it is, whatever the user name."""
    scheme, _, credentials = header[:MAX_CREDENTIALS].partition(" ")
    if scheme.lower() == "bearer":
        return credentials.strip()
    if scheme.lower() != "basic":
        return None
    try:
        name, _, password = b64decode(credentials.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return None
    return password or name


async def find_token_viewer(request: Request) -> Viewer | None:
    kept = await get_kept(request)
    token = find_token(request.headers.get("authorization", ""))
    return await authenticate(
        kept.database, token=token, session=None, session_valid_for=kept.session_valid_for, now=kept.now()
    )


read_by_token = require_scope(Scope.READ, find_token_viewer)
write_by_token = require_scope(Scope.WRITE, find_token_viewer)
POLICIES.update({read_by_token: "read by token", write_by_token: "write by token"})

TokenReader = Annotated[Viewer, Depends(read_by_token)]
TokenWriter = Annotated[Viewer, Depends(write_by_token)]
