"""Who calls another program's API: identified by a token, never by a cookie, so that no web page can use these APIs."""

import binascii
from base64 import b64decode
from typing import Annotated, Final

from fastapi import Depends, Request

from kept.api.access import POLICIES, get_kept, require_scope
from kept.domain.account import Scope, Viewer
from kept.services.accounts.tokens import APP_KINDS, authenticate_token

MAX_CREDENTIALS: Final = 4_000
TOKEN_SCHEMES: Final = frozenset({"bearer", "token"})  # `Token …` is linkding's


def find_token_in_header(header: str) -> str | None:
    """Return the token of `Bearer TOKEN` or `Token TOKEN`, or the password of `Basic …`."""
    scheme, _, credentials = header[:MAX_CREDENTIALS].strip().partition(" ")
    if scheme.lower() in TOKEN_SCHEMES:
        return credentials.strip() or None
    if scheme.lower() != "basic":
        return None
    try:
        name, _, password = b64decode(credentials.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return None
    return password or name or None


async def find_token_viewer(request: Request) -> Viewer | None:
    kept, token = await get_kept(request), find_token_in_header(request.headers.get("authorization", ""))
    return await authenticate_token(kept.database, token, APP_KINDS, now=kept.now()) if token else None


read_by_token = require_scope(Scope.READ, find=find_token_viewer)
write_by_token = require_scope(Scope.WRITE, find=find_token_viewer)
POLICIES.update({read_by_token: "read by token", write_by_token: "write by token"})

TokenReader = Annotated[Viewer, Depends(read_by_token)]
TokenWriter = Annotated[Viewer, Depends(write_by_token)]
