"""The bookmarklet: a bookmark whose script opens a small window to save the page one is on."""

from typing import Final
from urllib.parse import urlsplit

from kept.api.base_url import find_base_url
from kept.web.rendering import Visit

# Where pop-ups are blocked, the page itself leads to the form.
BOOKMARKLET: Final = (
    "javascript:(()=>{{const u='{origin}/add?window=1&url='+encodeURIComponent(location.href)"
    "+'&title='+encodeURIComponent(document.title);"
    "if(!open(u,'kept','popup,width=480,height=640'))location.href=u}})()"
)


def make_bookmarklet(visit: Visit) -> str:
    return BOOKMARKLET.format(origin=public_origin(visit))


def public_origin(visit: Visit) -> str:
    """A quote is escaped, because it would end the bookmarklet's string."""
    parts = urlsplit(find_base_url(visit.request, visit.kept))
    return f"{parts.scheme}://{parts.netloc}".replace("'", "%27")
