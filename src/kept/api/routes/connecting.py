"""Connecting a browser extension: it trades the code from the page /connect for its token, and gives it back."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field

from kept.api.access import KeptDep, Public
from kept.api.envelope import Data, RequestModel, errors
from kept.api.item_models import NewTokenOut, new_token_out
from kept.api.sessions import client_of
from kept.services.accounts.tokens import connect_extension, disconnect_extension

router = APIRouter(prefix="/api/v1/connect", tags=["account"])

Secret = Annotated[str, Field(min_length=43, max_length=128)]


class ConnectIn(RequestModel):
    code: Secret = Field(description="From the page `/connect`; good for five minutes and for one request.")
    verifier: Secret = Field(description="Its SHA-256 in base64url is the challenge the page was opened with.")


class RevokeIn(RequestModel):
    token: Secret


@router.post("/token", status_code=201, dependencies=[Public], responses=errors(429, 503))
async def post_connect_token(body: ConnectIn, request: Request, kept: KeptDep) -> Data[NewTokenOut]:
    """Exchange a code for a token with the scope `save`. The response is the only time it is shown."""
    await kept.rate_limits.require("login", "connect", client_of(request))
    token, secret = await connect_extension(kept.database, code=body.code, verifier=body.verifier, now=kept.now())
    return Data(data=new_token_out(token, secret))


@router.post("/revoke", status_code=204, dependencies=[Public], responses=errors(429, 503))
async def post_connect_revoke(body: RevokeIn, request: Request, kept: KeptDep) -> None:
    """Revoke a token. Whoever has the token may do so. 204 also for an unknown one."""
    await kept.rate_limits.require("login", "connect", client_of(request))
    await kept.write(disconnect_extension, body.token)
