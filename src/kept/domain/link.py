"""Which URLs can be opened: those of the web, but not those that stand for an uploaded file."""

from typing import Final

from kept.domain.document import is_upload_url

WEB_SCHEMES: Final = ("http://", "https://")


def find_link(url: str) -> str | None:
    """The URL itself, if a browser can open it."""
    return url if url.startswith(WEB_SCHEMES) and not is_upload_url(url) else None
