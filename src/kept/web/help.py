"""The help page: ways to save, the search syntax, keyboard shortcuts."""

from fastapi import APIRouter, Response

from kept.web.bookmarklet import make_bookmarklet
from kept.web.rendering import Visiting

router = APIRouter(include_in_schema=False)


@router.get("/help")
async def show_help(visit: Visiting) -> Response:
    return visit.render("help.html", bookmarklet=make_bookmarklet(visit))
