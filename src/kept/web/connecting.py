"""Connecting a browser extension: the page on which a user agrees, and the one that hands over the code."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from kept.api.access import KeptDep, Writer
from kept.domain.account import parse_challenge, parse_state
from kept.domain.errors import KeptError
from kept.services.accounts.tokens import allow_connection
from kept.web.rendering import Visiting, begin_visit, go_to

router = APIRouter(include_in_schema=False)

Sent = Annotated[str, Query(max_length=300)]
Text = Annotated[str, Form(max_length=300)]


@router.get("/connect")
async def show_connect(visit: Visiting, challenge: Sent = "", state: Sent = "", name: Sent = "") -> Response:
    """Show the page that the extension opens. Nothing is created before the user agrees."""
    asked = {"challenge": parse_challenge(challenge), "state": parse_state(state), "name": name[:200]}
    return visit.render("connect.html", 200, **asked, error=None)


@router.post("/connect")
async def submit_connect(
    request: Request, viewer: Writer, kept: KeptDep, challenge: Text = "", state: Text = "", name: Text = ""
) -> Response:
    """Redirect with the code in the URL's fragment, which is in no request or log and which no other site's page can
    read. The extension, which may see Kept's URLs, takes it from there."""
    await kept.rate_limits.require("login", "connect", str(viewer.user_id))
    asked = {"challenge": parse_challenge(challenge), "state": parse_state(state), "name": name}
    try:
        code = await kept.write(allow_connection, viewer, challenge=challenge, name=name, now=kept.now())
    except KeptError as error:
        visit = await begin_visit(request, viewer, kept)
        return visit.render("connect.html", error.http_status, **asked, error=error.told)
    return go_to(f"/connect/done#code={code}&state={state}")


@router.get("/connect/done")
async def show_connected(visit: Visiting) -> Response:
    return visit.render("connected.html")
