"""An article that its site shows on several pages: how many were joined, and which are missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_JOINED: Final = 10
_KEY: Final = "pages"


@dataclass(frozen=True, slots=True)
class MissingPages:
    """The first and the last of the pages that are missing from the article."""

    first: int
    last: int

    @property
    def is_beyond_limit(self) -> bool:
        """Whether they were not asked for, because they are beyond the limit."""
        return self.first > MAX_JOINED


@dataclass(frozen=True, slots=True)
class JoinedPages:
    count: int
    missing: MissingPages | None = None


def note_pages(metadata: Mapping[str, Any], pages: JoinedPages | None) -> dict[str, Any]:
    """Return a media's `metadata` with what is known of its article's pages."""
    if pages is None:
        return dict(metadata)
    missing = [pages.missing.first, pages.missing.last] if pages.missing else None
    return {**metadata, _KEY: {"joined": pages.count, "missing": missing}}


def carry_pages(metadata: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Carry the article's pages over into the metadata of a card that is filled again."""
    return {**metadata, _KEY: before[_KEY]} if _KEY in before else dict(metadata)


def find_missing_pages(metadata: Mapping[str, Any]) -> MissingPages | None:
    match metadata.get(_KEY):
        case {"missing": [int(first), int(last)]}:
            return MissingPages(first, last)
        case _:
            return None
