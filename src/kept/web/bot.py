"""The page for owners of sites that Kept fetched from: what it is, how it fetches, how to refuse it, and a contact."""

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, Public
from kept.fetch.client import user_agent
from kept.web.rendering import render

router = APIRouter(include_in_schema=False)


@router.get("/bot", dependencies=[Public])
async def show_bot(request: Request, kept: KeptDep) -> Response:
    settings = kept.settings
    response = render(request, "bot.html", settings=settings, user_agent=user_agent(settings))
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response
