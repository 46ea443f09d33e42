"""Site rules: what an operator says about the pages of a site, in a small TOML file. Text in, a rule or faults out.

A rule travels with its page to the extractor, where `reading` applies it. Its selectors are CSS, by lexbor.
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from kept.urls.url import NormalisedUrl, parse_url
from kept.validation import explain_fault

MAX_ENTRIES: Final = 50
MAX_SELECTOR: Final = 500
MAX_HOST: Final = 260
_BELOW: Final = "*."
_NOTHING_TO_DO: Final = "says nothing to do: give take, leave, next_page, title, byline or browser"


def _require_selector(text: str) -> str:
    """Several are asked for at once: one that is not closed would take the next for a part of itself."""
    try:
        is_closed = bool(LexborHTMLParser("<end->").css(f"{text}, end-"))
    except SelectolaxError:
        is_closed = False
    if not is_closed:
        raise ValueError("is not a CSS selector")
    return text


def _normalise_host(text: str) -> str:
    prefix = _BELOW if text.startswith(_BELOW) else ""
    url = parse_url(f"https://{text.removeprefix(_BELOW)}/")
    if not isinstance(url, NormalisedUrl) or (url.path, url.port, url.query) != ("/", 443, None):
        raise ValueError("is not a host name, as in example.org or *.example.org")
    return prefix + url.host


Selector = Annotated[str, Field(min_length=1, max_length=MAX_SELECTOR), AfterValidator(_require_selector)]
Selectors = Annotated[tuple[Selector, ...], Field(max_length=MAX_ENTRIES)]
HostPattern = Annotated[str, Field(min_length=1, max_length=MAX_HOST), AfterValidator(_normalise_host)]
HostPatterns = Annotated[tuple[HostPattern, ...], Field(max_length=MAX_ENTRIES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRule:
    """What is done with the pages of some hosts."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    file: str
    """The name of the file it is written in, for the log and for whoever runs the server."""
    hosts: HostPatterns
    """`example.org` is also `www.example.org`; `*.example.org` is each host below it."""
    take: Selectors = ()
    """The article is what these match, in the order of the page, and nothing else."""
    leave: Selectors = ()
    """What these match is no part of the article."""
    next_page: Selector | None = None
    """The link to the page that goes on with the article."""
    title: Selector | None = None
    byline: Selector | None = None
    browser: Annotated[bool, Field(strict=True)] = False
    """A browser visits these pages at once, without a fetch before."""

    def covers(self, host: str) -> bool:
        return any(_matches(pattern, host) for pattern in self.hosts)


@dataclass(frozen=True, slots=True)
class RuleFaults:
    """Why a file is no rule: a line for each fault, with the names of file and field."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleUse:
    """What a rule did for an article."""

    file: str
    has_matched: bool
    """False where it says what to take and the page has nothing of it: then the article was found as on any page."""
    title: str | None = None
    byline: str | None = None


@cache
def _adapter() -> TypeAdapter[SiteRule]:
    """Made when first needed: the extractor starts without it."""
    return TypeAdapter(SiteRule)


def parse_site_rule(text: str, file: str) -> SiteRule | RuleFaults:
    import tomllib  # not for the extractor, which gets rules that are parsed

    try:
        said: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return RuleFaults((f"{file}: is not TOML: {error}",))
    if "file" in said:
        return RuleFaults((f"{file}: file: there is no such field",))
    try:
        rule = _adapter().validate_python({**said, "file": file})
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


def _matches(pattern: str, host: str) -> bool:
    if pattern.startswith(_BELOW):
        return host.endswith(pattern[1:])
    return host.removeprefix("www.") == pattern.removeprefix("www.")
