"""Signing in through the API and the pages: its limits, the session it starts, and the cookies."""

from datetime import timedelta
from typing import Final

from fastapi import Request, Response

from kept.api.access import device_cookie_name, is_https, session_cookie_name
from kept.api.connections import name_client
from kept.domain.account import Viewer
from kept.services.accounts.sessions import Credentials, SignedIn, SignInAttempt, limit_sign_in, sign_in
from kept.wiring.server import Kept

# Browsers keep no cookie for longer.
DEVICE_KNOWN_FOR: Final = timedelta(days=400)


async def limit_set_ups(kept: Kept, request: Request) -> None:
    await kept.rate_limits.require("login", "setup", client_of(request))


async def limit_password_changes(kept: Kept, viewer: Viewer) -> None:
    """Limit how fast somebody at a signed-in browser can guess the password."""
    await kept.rate_limits.require("login", "password", str(viewer.user_id))


def client_of(request: Request) -> str:
    return name_client(request.client.host) if request.client else "unknown"


async def start_session(kept: Kept, request: Request, name: str, password: str) -> SignedIn:
    mark = request.cookies.get(device_cookie_name(request, kept))
    await limit_sign_in(kept.database, kept.rate_limits, SignInAttempt(name, client_of(request), mark))
    given = Credentials(name, password, request.headers.get("user-agent", ""))
    return await sign_in(kept.database, kept.passwords, given, valid_for=kept.session_valid_for, now=kept.now())


def set_session_cookie(response: Response, request: Request, kept: Kept, signed_in: SignedIn) -> None:
    """Set the session cookie, and the one by which this device is known at the next sign-in."""
    session = session_cookie_name(request, kept), signed_in.secret, kept.session_valid_for
    device = device_cookie_name(request, kept), signed_in.device_mark, DEVICE_KNOWN_FOR
    for name, value, valid_for in (session, device):
        response.set_cookie(
            name,
            value,
            max_age=int(valid_for.total_seconds()),
            path="/",
            secure=is_https(request, kept),
            httponly=True,
            samesite="lax",
        )


def clear_session_cookie(response: Response, request: Request, kept: Kept) -> None:
    response.delete_cookie(
        session_cookie_name(request, kept), path="/", secure=is_https(request, kept), httponly=True, samesite="lax"
    )
