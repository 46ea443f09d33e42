"""Answers of other programs' APIs: plain JSON, and files."""

import json
from typing import Any, Final
from urllib.parse import quote

from fastapi import Request, Response

from kept.api.base_url import find_base_url
from kept.bootstrap import Kept

JSON_TYPE: Final = "application/json"


class PlainJson(Response):
    """Exactly `application/json`: with a charset behind it, wallabag-client takes the answer for no JSON."""

    media_type = JSON_TYPE

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def base_url(request: Request, kept: Kept, prefix: str) -> str:
    """Where an API is, as clients were told."""
    return f"{find_base_url(request, kept)}{prefix}"


def write_url(base: str, path: str, query: dict[str, str]) -> str:
    shown = "&".join(f"{quote(name)}={quote(value)}" for name, value in query.items())
    return f"{base}{path}?{shown}" if shown else f"{base}{path}"
