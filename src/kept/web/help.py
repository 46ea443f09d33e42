"""The help page: ways to save, the search syntax, keyboard shortcuts."""

from urllib.parse import urlsplit

from fastapi import APIRouter, Response

from kept.web.rendering import Visit, Visiting

router = APIRouter()

BOOKMARKLET = (
    "javascript:location.href='{origin}/add?url='+encodeURIComponent(location.href)"
    "+'&title='+encodeURIComponent(document.title)"
)


@router.get("/help")
async def show_help(visit: Visiting) -> Response:
    return visit.render("help.html", bookmarklet=BOOKMARKLET.format(origin=public_origin(visit)))


def public_origin(visit: Visit) -> str:
    """A quote is escaped, because it would end the bookmarklet's string."""
    url = visit.kept.settings.public_url or str(visit.request.base_url)
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".replace("'", "%27")
