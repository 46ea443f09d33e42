"""The pages on which a person lets an app in: by a code that a device shows, or because the app opened the page.
Looking at a page allows nothing; a form of our own must be sent."""

from typing import Annotated
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request, Response
from pydantic import BaseModel, Field

from kept.api.access import KeptDep, Writer
from kept.api.middleware import CONTENT_SECURITY_POLICY
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, KeptError
from kept.domain.oauth import CHALLENGE, Grant, OAuthClient, is_registered, parse_user_code, scopes_of, show_user_code
from kept.services.accounts.oauth import CodeRequest, decide_device_grant, find_client, find_device_grant, issue_code
from kept.web.i18n import N_
from kept.web.notices import NoticeDep
from kept.web.rendering import Visiting, begin_visit, go_to
from kept.wiring.server import Kept

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form(max_length=64)]
NO_SUCH_CODE = N_("There is no such code, or it is too old. Start again on the device.")
# A person may mistype; guessing means finding one of 25 billion codes.
GUESSES = 3


@router.get("/device")
async def show_device(visit: Visiting, notice: NoticeDep, code: Annotated[str, Query(max_length=64)] = "") -> Response:
    grant = await find_asked(visit.kept, visit.viewer, code) if code else None
    error = NO_SUCH_CODE if code and grant is None else None
    return visit.render("device.html", 200, **describe(grant), code=code, notice=notice, error=error)


@router.post("/device")
async def submit_device(
    request: Request, viewer: Writer, kept: KeptDep, code: Text = "", decision: Text = ""
) -> Response:
    visit = await begin_visit(request, viewer, kept)
    try:
        grant = await find_asked(kept, viewer, code)
        if grant is None:
            raise InvalidRequest(NO_SUCH_CODE)
        if decision not in {"allow", "deny"}:
            return visit.render("device.html", 200, **describe(grant), code=code, notice=None, error=None)
        await kept.write(decide_device_grant, viewer, grant, is_approved=decision == "allow")
    except KeptError as error:
        shown = {"code": code, "notice": None, "error": error.told}
        return visit.render("device.html", error.http_status, **describe(None), **shown)
    return go_to("/device", done="app_allowed" if decision == "allow" else "app_denied")


async def find_asked(kept: Kept, viewer: Viewer, code: str) -> Grant | None:
    await kept.rate_limits.require("login", "user code", str(viewer.user_id), factor=GUESSES)
    return await kept.read(find_device_grant, code, now=kept.now())


def describe(grant: Grant | None) -> dict[str, object]:
    if grant is None:
        return {"app": None, "may_write": False, "shown_code": ""}
    shown = show_user_code(parse_user_code(grant.user_code or ""))
    return {"app": grant.client.name, "may_write": "write" in grant.scopes, "shown_code": shown}


class Authorization(BaseModel):
    """What an app asks for when it opens the page (RFC 6749, 7636)."""

    client_id: Annotated[str, Field(max_length=64)] = ""
    redirect_uri: Annotated[str, Field(max_length=500)] = ""
    response_type: Annotated[str, Field(max_length=20)] = ""
    code_challenge: Annotated[str, Field(max_length=64)] = ""
    code_challenge_method: Annotated[str, Field(max_length=10)] = ""
    scope: Annotated[str, Field(max_length=300)] = "bookmarks:read bookmarks:write"
    state: Annotated[str, Field(max_length=2_000)] = ""


class Decision(Authorization):
    decision: Annotated[str, Field(max_length=10)] = ""


@router.get("/readeck/authorize")
async def show_authorize(visit: Visiting, asked: Annotated[Authorization, Query()]) -> Response:
    client = await check(visit.kept, asked)
    may_write = "write" in scopes_of(asked.scope)
    page = visit.render("authorize.html", app=client.name, may_write=may_write, asked=asked, notice=None)
    # Chromium applies the page's policy to the URL that a form's answer redirects to, too.
    source = f"form-action 'self' {allow_source(asked.redirect_uri)}"
    page.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY.replace("form-action 'self'", source)
    return page


@router.post("/readeck/authorize")
async def submit_authorize(viewer: Writer, kept: KeptDep, asked: Annotated[Decision, Form()]) -> Response:
    client = await check(kept, asked)
    answer = {"state": asked.state}
    if asked.decision == "allow":
        wanted = CodeRequest(asked.scope, asked.code_challenge, asked.redirect_uri)
        answer |= {"code": await kept.write(issue_code, viewer, client, wanted, now=kept.now())}
    else:
        answer |= {"error": "access_denied"}
    return go_to(asked.redirect_uri, **answer)


async def check(kept: Kept, asked: Authorization) -> OAuthClient:
    """Return the app. An unregistered redirect URL is refused here, so that no code is ever sent to one."""
    try:
        client = await kept.read(find_client, UUID(asked.client_id), now=kept.now())
    except ValueError:
        client = None
    if client is None or not is_registered(client, asked.redirect_uri):
        raise InvalidRequest(N_("This app is not known here. Start again in the app."))
    is_safe = asked.code_challenge_method == "S256" and CHALLENGE.fullmatch(asked.code_challenge)
    if asked.response_type != "code" or not is_safe:
        raise InvalidRequest(N_("The app asks in a way that is not safe: it must send an S256 challenge."))
    return client


def allow_source(uri: str) -> str:
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in {"http", "https"} else f"{parts.scheme}:"
