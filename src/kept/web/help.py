"""The help page (ways to save, the search syntax, keyboard shortcuts), and the page for owners of sites that Kept
fetched from: what it is, how it fetches, how to refuse it, and a contact."""

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, Public
from kept.fetch.client import user_agent
from kept.web.adding import make_bookmarklet
from kept.web.rendering import Visiting, render

router = APIRouter(include_in_schema=False)


@router.get("/help")
async def show_help(visit: Visiting) -> Response:
    return visit.render("help.html", bookmarklet=make_bookmarklet(visit))


@router.get("/bot", dependencies=[Public])
async def show_bot(request: Request, kept: KeptDep) -> Response:
    settings = kept.settings
    response = render(request, "bot.html", settings=settings, user_agent=user_agent(settings))
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response
