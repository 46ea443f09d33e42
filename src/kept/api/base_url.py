"""Where this server is reached, for links that leave it."""

from fastapi import Request

from kept.bootstrap import Kept


def find_base_url(request: Request, kept: Kept) -> str:
    """Without a slash at its end."""
    return (kept.settings.public_url or str(request.base_url)).rstrip("/")
