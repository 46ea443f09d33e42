"""Template rendering, redirects, and the context that every page of a signed-in user needs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension

from kept.api.access import USER_HEADER, KeptDep, Reader
from kept.bootstrap import Kept
from kept.domain.account import Viewer
from kept.domain.preferences import DEFAULTS, Preferences
from kept.services.accounts.read_preferences import read_preferences
from kept.version import __version__
from kept.web import formatting
from kept.web.assets import ASSETS
from kept.web.note_links import link_urls

# Sent by our own scripts: they want a fragment of a page, and errors as JSON.
FRAGMENT_HEADER: Final = "kept-fragment"
INDENTATION: Final = re.compile(r"^[ \t]+", re.MULTILINE)
# Revalidated on every request, but the back button may show the list as it was left.
PAGE_HEADERS: Final = {"Cache-Control": "private, no-cache", "Vary": "Kept-Fragment"}


class Unindented(Extension):
    """Removes the indentation of templates, which would add a tenth to the size of a list of cards."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return INDENTATION.sub("", source)


environment: Final = Environment(
    extensions=[Unindented],
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    trim_blocks=True,
    undefined=StrictUndefined,
)
environment.filters |= {
    "date": formatting.format_date,
    "exact": formatting.format_exact,
    "iso": formatting.format_iso,
    "direction": formatting.direction_of,
    "host": formatting.host_of,
    "initial": formatting.initial_of,
    "link_urls": link_urls,
    "tint": formatting.tint_of,
    "shorten": formatting.shorten,
}
environment.globals |= {
    "assets": ASSETS,
    "version": __version__,
    "count": formatting.count,
    "link_of": formatting.link_of,
    "site_of": formatting.site_of,
    "title_of": formatting.title_of,
    "format_age": formatting.format_age,
    "is_date_only": formatting.is_date_only,
    "is_recent": formatting.is_recent,
}


@dataclass(frozen=True, slots=True)
class Visit:
    """A request for a page by a signed-in user."""

    request: Request
    kept: Kept
    viewer: Viewer
    preferences: Preferences

    def render(self, template: str, status: int = 200, **values: object) -> HTMLResponse:
        missing = self.kept.missing_for_articles
        own = {"viewer": self.viewer, "preferences": self.preferences, "now": self.kept.now(), "missing": missing}
        response = render(self.request, template, status, **own, **values)
        response.headers[USER_HEADER] = str(self.viewer.user_id)  # whose copy a service worker keeps
        return response


async def begin_visit(request: Request, viewer: Reader, kept: KeptDep) -> Visit:
    return Visit(request, kept, viewer, await read_preferences(kept.database, viewer))


Visiting = Annotated[Visit, Depends(begin_visit)]


def render(request: Request, template: str, status: int = 200, **values: object) -> HTMLResponse:
    defaults = {"request": request, "viewer": None, "preferences": DEFAULTS, "missing": None}
    html = environment.get_template(template).render(defaults | values)
    return HTMLResponse(html, status, headers=PAGE_HEADERS)


def go_to(path: str, **query: object) -> RedirectResponse:
    """Redirect after a form (303): the browser gets `path` next."""
    return RedirectResponse(with_query(path, query), status_code=303)


def with_query(path: str, query: Mapping[str, object]) -> str:
    said = {name: str(value) for name, value in query.items() if value not in (None, "")}
    if not said:
        return path
    return f"{path}{'&' if '?' in path else '?'}{urlencode(said)}"


def wants_fragment(request: Request) -> bool:
    return FRAGMENT_HEADER in request.headers


def local_path(text: str, otherwise: str = "/") -> str:
    """`text` if it is a path on this server, else `otherwise`: guards against open redirects."""
    is_ours = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable() and "\\" not in text
    return text if is_ours else otherwise


def no_content() -> Response:
    return Response(status_code=204)
