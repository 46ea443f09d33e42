"""Hashes by which apps of other programs ask whether a URL is saved."""

import hashlib
from urllib.parse import unquote_plus


def hash_url(url: str) -> str:
    return hashlib.sha1(url.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def hash_spellings(*urls: str | None) -> set[str]:
    """Of each URL as it stands, as some apps hash it, and with its escapes undone, as wallabag's server does."""
    return {hash_url(text) for url in urls if url for text in (url, undo_escapes(url))}


def undo_escapes(url: str) -> str:
    """As PHP's `urldecode`: a plus is a space, too."""
    return unquote_plus(url, errors="replace")
