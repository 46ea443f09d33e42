"""How a picture is answered: as a picture and nothing else, kept by the browser, asked for again only by its tag."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from fastapi import Request, Response

# Whatever the bytes are: no script, no frame, no other site's page, and the type is what we say it is.
GUARDS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Content-Disposition": "inline",
    # A picture under one address never changes; but it is for those who may see its page.
    "Cache-Control": "private, max-age=604800, immutable",
    "Accept-Ranges": "none",
}


def tag_of(key: str) -> str:
    """A strong tag: the key names the content, and need not be told."""
    return f'"{sha256(key.encode()).hexdigest()[:24]}"'


def is_known(request: Request, tag: str) -> bool:
    """Whether the browser has just this picture already."""
    sent = request.headers.get("if-none-match", "")
    return sent.strip() == "*" or tag in {part.strip().removeprefix("W/") for part in sent.split(",")}


def picture_answer(data: bytes, content_type: str, tag: str) -> Response:
    """Always whole: a Range header may be ignored, and half a picture is of no use."""
    return Response(data, media_type=content_type, headers={**GUARDS, "ETag": tag})


def unchanged_answer(tag: str) -> Response:
    return Response(status_code=304, headers={**GUARDS, "ETag": tag})
