"""Unwraps notes between the paragraphs that a page sets as `aside`: Readability removes every `aside`."""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.prepare.boxes import stands_in_flow
from kept.content.article.prune.hints import find_names
from kept.content.article.prune.tree import link_share, name_of, short_text

_NOTE: Final = re.compile(
    r"-(?:notes?|tips?|hints?|warnings?|caution|danger|important|info|callouts?|admonitions?|examples?|definitions?)-"
)
MOST_ASIDES: Final = 50
LONGEST_NOTE: Final = 2_000
LARGEST_LINKED_SHARE: Final = 0.4


def unwrap_callouts(page: LexborHTMLParser) -> None:
    assert page.body is not None
    for aside in page.body.css("aside")[:MOST_ASIDES]:
        if is_callout(aside):
            for child in aside.css("[aria-hidden]"):
                del child.attrs["aria-hidden"]
            aside.unwrap()


def is_callout(aside: LexborNode) -> bool:
    label = f"-{(aside.attributes.get('aria-label') or '').strip().lower()}-"
    if not (_NOTE.search(name_of(aside)) or _NOTE.fullmatch(label)) or find_names(name_of(aside)):
        return False
    return bool(short_text(aside, LONGEST_NOTE)) and link_share(aside) <= LARGEST_LINKED_SHARE and stands_in_flow(aside)
