"""A site rule in its small TOML file: text in, a rule or its faults out. Selectors are CSS, read by lexbor."""

import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from typing import Annotated, Any, Final

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from kept.content.article.site_rules import BELOW, SiteRule
from kept.urls.url import NormalisedUrl, parse_url
from kept.validation import explain_fault

MAX_ENTRIES: Final = 50
MAX_SELECTOR: Final = 500
MAX_HOST: Final = 260
_NOTHING_TO_DO: Final = "says nothing to do: give take, leave, next_page, title, byline or browser"


def _require_selector(text: str) -> str:
    """Several are asked for at once: one that is not closed would take the next for a part of itself."""
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError  # here alone: few have rules

    try:
        is_closed = bool(LexborHTMLParser("<end->").css(f"{text}, end-"))
    except SelectolaxError:
        is_closed = False
    if not is_closed:
        raise ValueError("is not a CSS selector")
    return text


Selector = Annotated[str, Field(min_length=1, max_length=MAX_SELECTOR), AfterValidator(_require_selector)]
Selectors = Annotated[tuple[Selector, ...], Field(max_length=MAX_ENTRIES)]


def _normalise_host(text: str) -> str:
    prefix = BELOW if text.startswith(BELOW) else ""
    url = parse_url(f"https://{text.removeprefix(BELOW)}/")
    if not isinstance(url, NormalisedUrl) or (url.path, url.port, url.query) != ("/", 443, None):
        raise ValueError("is not a host name, as in example.org or *.example.org")
    return prefix + url.host


HostPattern = Annotated[str, Field(min_length=1, max_length=MAX_HOST), AfterValidator(_normalise_host)]
HostPatterns = Annotated[tuple[HostPattern, ...], Field(max_length=MAX_ENTRIES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """The fields of a rule, as a file may have them."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    hosts: HostPatterns
    take: Selectors = ()
    leave: Selectors = ()
    next_page: Selector | None = None
    title: Selector | None = None
    byline: Selector | None = None
    browser: Annotated[bool, Field(strict=True)] = False


@dataclass(frozen=True, slots=True)
class RuleFaults:
    """Why a file is no rule: a line for each fault, with the names of file and field."""

    lines: tuple[str, ...]


@cache
def _adapter() -> TypeAdapter[_Written]:
    return TypeAdapter(_Written)


def parse_site_rule(text: str, file: str) -> SiteRule | RuleFaults:
    try:
        said: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return RuleFaults((f"{file}: is not TOML: {error}",))
    try:
        rule = SiteRule(file=file, **asdict(_adapter().validate_python(said)))
    except ValidationError as error:
        return RuleFaults(
            tuple(f"{file}: {_name_field(fault['loc'])}: {explain_fault(fault)}" for fault in error.errors())
        )
    if not rule.hosts:
        return RuleFaults((f"{file}: hosts: must not be empty",))
    does_something = rule.take or rule.leave or rule.next_page or rule.title or rule.byline or rule.browser
    return rule if does_something else RuleFaults((f"{file}: {_NOTHING_TO_DO}",))


def _name_field(place: tuple[int | str, ...]) -> str:
    """`take, entry 2`: where in the file a fault is."""
    return ", ".join(f"entry {part + 1}" if isinstance(part, int) else part for part in place)
