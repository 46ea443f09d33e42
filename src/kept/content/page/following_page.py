"""Where an article goes on, as a value, and whether what is found there is the same article. No parser is needed."""

import re
from dataclasses import dataclass
from typing import Final

from kept.content.page.page_number import WORDS

# Between the number of a page and the number of all: "page 1 of 5", "Seite 1 von 5", "1/5".
OF: Final = r"\s{0,3}(?:of|von|de|di|av|af|z|van|sur|/)\s{0,3}"
_MAX_TITLE: Final = 1_000
_TITLE_NUMBER: Final = re.compile(
    rf"[\s(\[|–—,:-]{{0,5}}\b(?:{WORDS})\s{{0,3}}\d{{1,3}}(?:{OF}\d{{1,3}})?\b|[\s(\[|–—-]{{1,5}}\d{{1,3}}/\d{{1,3}}\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class NextPage:
    """Where an article goes on."""

    url: str
    number: int | None = None
    """Its number; None where a site rule names the link."""
    last: int | None = None
    """The highest page number that this page names."""
    is_sure: bool = True
    """The page's own numbers, or a rule, say so; otherwise the next page must have the same title."""


def has_same_title(one: str | None, other: str | None) -> bool:
    """But for a page number that sites add."""
    words = _title_words(one)
    return bool(words) and words == _title_words(other)


def _title_words(title: str | None) -> list[str]:
    return _WORD.findall(_TITLE_NUMBER.sub("", (title or "")[:_MAX_TITLE]).casefold())
