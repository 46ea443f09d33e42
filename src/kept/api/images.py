"""HTTP responses with an image: safe headers, browser caching, and ETags for conditional requests."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from fastapi import Request, Response

# Whatever the bytes are, they run no script, stand in no frame or other site's page, and their type is not guessed.
GUARDS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Content-Disposition": "inline",
    # The image under one URL never changes; private, because only those who may see its page may see it.
    "Cache-Control": "private, max-age=604800, immutable",
    "Accept-Ranges": "none",
}


def tag_of(key: str) -> str:
    """Return a strong ETag. The key identifies the content; it is hashed so that it is not disclosed."""
    return f'"{sha256(key.encode()).hexdigest()[:24]}"'


def is_known(request: Request, tag: str) -> bool:
    """Return whether the browser has this image in its cache."""
    sent = request.headers.get("if-none-match", "")
    return sent.strip() == "*" or tag in {part.strip().removeprefix("W/") for part in sent.split(",")}


def image_response(data: bytes, content_type: str, tag: str) -> Response:
    """Return the whole image: Range headers are ignored."""
    return Response(data, media_type=content_type, headers={**GUARDS, "ETag": tag})


def missing_response() -> Response:
    """Answer for an icon that is not available: a browser shows nothing, and does not ask again for an hour."""
    return Response(status_code=204, headers={**GUARDS, "Cache-Control": "private, max-age=3600"})


def not_modified_response(tag: str) -> Response:
    return Response(status_code=304, headers={**GUARDS, "ETag": tag})
