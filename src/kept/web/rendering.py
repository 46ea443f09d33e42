"""Template rendering, redirects, and the context that every page of a signed-in user needs."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension

from kept.api.access import USER_HEADER, KeptDep, Reader
from kept.domain.account import Viewer
from kept.domain.item import host_of
from kept.domain.preferences import DEFAULTS, Preferences
from kept.domain.text import direction_of
from kept.services.accounts.preferences import read_preferences
from kept.version import __version__
from kept.web import text
from kept.web.assets import ASSETS, FONTS
from kept.web.history_text import describe_missing
from kept.web.i18n import (
    LANGUAGES,
    Language,
    choose_language,
    format_number,
    install_texts,
    translations,
    writing_in,
)
from kept.web.messages import tell, tell_problem
from kept.wiring.server import Kept

# Our own scripts send this header: they want a fragment of a page, and errors as JSON.
FRAGMENT_HEADER: Final = "kept-fragment"
INDENTATION: Final = re.compile(r"^[ \t]+", re.MULTILINE)
# Revalidated on every request, but the back button may show the list as it was left.
PAGE_HEADERS: Final = {"Cache-Control": "private, no-cache", "Vary": "Kept-Fragment, Accept-Language"}


FILTERS: Final[dict[str, Callable[..., object]]] = {
    "bytes": text.format_bytes,
    "date": text.format_date,
    "exact": text.format_exact,
    "iso": text.format_iso,
    "day": text.format_day,
    "day_of_year": text.format_day_of_year,
    "direction": direction_of,
    "host": host_of,
    "initial": text.initial_of,
    "link_urls": text.link_urls,
    "message": tell,
    "month": text.format_month,
    "number": format_number,
    "share": text.format_share,
    "tint": text.tint_of,
    "shorten": text.shorten,
}
GLOBALS: Final[dict[str, object]] = {
    "assets": ASSETS,
    "fonts": FONTS,
    "version": __version__,
    "languages": LANGUAGES,
    "script_texts": lambda: translations().scripts,
    "link_of": text.link_of,
    "is_video": text.is_video,
    "favicon_of": text.favicon_of,
    "site_of": text.site_of,
    "kind_of": text.kind_of,
    "title_of": text.title_of,
    "describe_missing": describe_missing,
    "tell_problem": tell_problem,
    "format_age": text.format_age,
    "name_colour": text.name_colour,
    "name_highlighting": text.name_highlighting,
    "is_date_only": text.is_date_only,
    "is_recent": text.is_recent,
}


class Unindented(Extension):
    """Removes the indentation of templates, which would add a tenth to the size of a list of cards."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return INDENTATION.sub("", source)


def make_environment() -> Environment:
    made = Environment(
        extensions=[Unindented, "jinja2.ext.i18n"],
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    install_texts(made)
    made.filters |= FILTERS
    made.globals |= GLOBALS
    return made


environment: Final = make_environment()


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
    preferences = await kept.read(read_preferences, viewer)
    request.state.language = choose_language(preferences.language, request.headers.get("accept-language", ""))
    return Visit(request, kept, viewer, preferences)


Visiting = Annotated[Visit, Depends(begin_visit)]


def language_of(request: Request) -> Language:
    """Return the language that the signed-in user chose, once the visit has begun; else the browser's."""
    chosen: Language | None = getattr(request.state, "language", None)
    return chosen or choose_language("", request.headers.get("accept-language", ""))


def render(request: Request, template: str, status: int = 200, **values: object) -> HTMLResponse:
    language = language_of(request)
    defaults = {"request": request, "viewer": None, "preferences": DEFAULTS, "missing": None}
    html = write_page(template, language, defaults | values)
    return HTMLResponse(html, status, headers=PAGE_HEADERS | {"Content-Language": language.tag})


def write_page(template: str, language: Language, values: Mapping[str, object]) -> str:
    with writing_in(language):
        return environment.get_template(template).render(values, language=language)


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


def local_path(path: str, otherwise: str = "/") -> str:
    """Return `path` if it is one on this server, else `otherwise`, against open redirects."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and "\\" not in path
    return path if is_ours else otherwise


def no_content() -> Response:
    return Response(status_code=204)
