"""Site rules: what an operator says about the pages of some hosts. How one is written: `site_rule_files.py`."""

from dataclasses import dataclass
from typing import Final

BELOW: Final = "*."


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRule:
    """What an operator says about the pages of some hosts.

    A rule travels with its page to the extractor, where `content/article/reading.py` applies it.
    """

    file: str
    """The name of the file it is written in, for the log and for whoever runs the server."""
    hosts: tuple[str, ...]
    """`example.org` is also `www.example.org`; `*.example.org` is each host below it."""
    take: tuple[str, ...] = ()
    """The article is what these match, in the order of the page, and nothing else."""
    leave: tuple[str, ...] = ()
    """What these match is no part of the article."""
    next_page: str | None = None
    """The link to the page that goes on with the article."""
    title: str | None = None
    byline: str | None = None
    browser: bool = False
    """A browser visits these pages at once, without a fetch before."""

    def covers(self, host: str) -> bool:
        return any(_matches(pattern, host) for pattern in self.hosts)


@dataclass(frozen=True, slots=True)
class RuleUse:
    """What a rule did for an article."""

    file: str
    has_matched: bool
    """False where it says what to take and the page has nothing of it: then the article was found as on any page."""
    title: str | None = None
    byline: str | None = None


def _matches(pattern: str, host: str) -> bool:
    if pattern.startswith(BELOW):
        return host.endswith(pattern[1:])
    return host.removeprefix("www.") == pattern.removeprefix("www.")
