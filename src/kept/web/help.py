"""How to save from anywhere, and the keys."""

from urllib.parse import urlsplit

from fastapi import APIRouter, Response

from kept.web.rendering import Visit, Visiting

router = APIRouter()

BOOKMARKLET = (
    "javascript:location.href='{address}/add?url='+encodeURIComponent(location.href)"
    "+'&title='+encodeURIComponent(document.title)"
)


@router.get("/help")
async def show_help(visit: Visiting) -> Response:
    return visit.render("help.html", bookmarklet=BOOKMARKLET.format(address=address_of(visit)))


def address_of(visit: Visit) -> str:
    """Under which people reach this Kept. A quote in it would end the bookmarklet's string."""
    base = visit.kept.settings.public_url or str(visit.request.base_url)
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.netloc}".replace("'", "%27")
