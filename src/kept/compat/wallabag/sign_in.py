"""Signing in: OAuth's password and refresh grants. The password is an API token of Kept, the user name anything.

The client's id and secret are ignored: everybody can see them in an app's settings, and they would protect nothing that
the token does not.
"""

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, Public
from kept.api.sessions import client_of
from kept.compat.answering import PlainJson
from kept.compat.fields import Fields, FieldsDep
from kept.compat.wallabag.answers import WallabagRoute
from kept.domain.account import AppTokens, TokenKind
from kept.services.accounts.apps import issue_app_tokens, limit_app_sign_in
from kept.wiring.server import Kept

router = APIRouter(route_class=WallabagRoute)


@router.get("/oauth/v2/token", dependencies=[Public])
async def get_token(fields: FieldsDep, request: Request, kept: KeptDep) -> Response:
    """Sign in with GET, as wallabag-client does."""
    return await sign_in(fields, request, kept)


@router.post("/oauth/v2/token", dependencies=[Public])
async def post_token(fields: FieldsDep, request: Request, kept: KeptDep) -> Response:
    return await sign_in(fields, request, kept)


async def sign_in(fields: Fields, request: Request, kept: Kept) -> Response:
    attempt = choose_attempt(fields, kept)
    if attempt is None:
        return refuse("unsupported_grant_type", "The grant type is password or refresh_token.")
    tokens = await limit_app_sign_in(kept.rate_limits, client_of(request), attempt)
    if tokens is None:
        return refuse("invalid_grant", "The password must be a valid API token of Kept, and a refresh token be fresh.")
    return PlainJson(
        {
            "access_token": tokens.access,
            "expires_in": tokens.valid_seconds,
            "token_type": "bearer",
            "scope": None,
            "refresh_token": tokens.refresh,
        },
        headers={"Cache-Control": "no-store"},
    )


def choose_attempt(fields: Fields, kept: Kept) -> Callable[[], Awaitable[AppTokens | None]] | None:
    match fields.text("grant_type"):
        case "password":
            token = (fields.text("password") or "").strip()
            return lambda: kept.write(issue_app_tokens, token, TokenKind.API, now=kept.now())
        case "refresh_token":
            refresh = (fields.text("refresh_token") or "").strip()
            return lambda: kept.write(issue_app_tokens, refresh, TokenKind.REFRESH, now=kept.now())
        case _:
            return None


def refuse(name: str, description: str) -> Response:
    """Answer 400, so that the Android app tries its password instead of its refresh token."""
    return PlainJson({"error": name, "error_description": description}, 400)
