"""Removes boxes between the paragraphs whose first words say what they are: other stories, a newsletter."""

from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prune.teasers import leads_within
from kept.content.article.prune.tree import (
    HEADING,
    Block,
    ancestors,
    leaf_blocks,
    link_share,
    outermost,
    short_text,
    text_of,
)
from kept.content.article.prune.vocabulary import ELSEWHERE, NEWSLETTER, OFFER, PAYWALL, POINTER, SIMILAR
from kept.content.article.prune.wording import LONGEST_HEADING
from kept.content.article.walks import shallow
from kept.content.markup import tags

_BOXES: Final = tags("div section aside ul")
_NEVER_IN_BOXES: Final = "blockquote, pre, table, math"
HIGHEST: Final = 10
MOST_HEADINGS: Final = 50
MOST_QUOTATIONS: Final = 300
MOST_FIGURES: Final = 300
# Four teasers of three hundred characters; and a heading, two sentences and a button.
LONGEST_OTHER_STORIES: Final = 1_500
LONGEST_NEWSLETTER: Final = 450
# And a list of what one gets.
LONGEST_OFFER: Final = 800
SHORTEST_PROSE: Final = 60
# Of an article: a box that holds more is the article.
LARGEST_SHARE: Final = 0.4
LONGEST_POINTER: Final = 250


def remove_boxes(root: LexborNode, host: str) -> None:
    most = LARGEST_SHARE * len(text_of(root))
    headings = (block for block in leaf_blocks(root) if 0 < len(block.text) <= LONGEST_HEADING and is_heading(block))
    boxes = [find_box(block, host) for block in islice(headings, MOST_HEADINGS)]
    for box in outermost(box for box in boxes if box is not None and len(text_of(box)) <= most):
        box.decompose()


def is_heading(block: Block) -> bool:
    return any(words.match(block.text) for words in (ELSEWHERE, SIMILAR, NEWSLETTER, PAYWALL))


def find_box(heading: Block, host: str) -> LexborNode | None:
    if PAYWALL.match(heading.text):
        box = find_around(heading, LONGEST_OFFER)
        return box if box is not None and OFFER.search(text_of(box)) else None
    if ELSEWHERE.match(heading.text) or SIMILAR.match(heading.text):
        box = find_around(heading, LONGEST_OTHER_STORIES)
        if box is not None and leads_to_others(box, host):
            return box
    return find_around(heading, LONGEST_NEWSLETTER) if NEWSLETTER.match(heading.text) else None


def find_around(heading: Block, longest: int) -> LexborNode | None:
    """The largest box that begins with the heading, has more in it, and is no longer."""
    found = None
    for above in islice(ancestors(heading.node), HIGHEST):
        text = short_text(above, longest) if above.tag in _BOXES else None
        if text is None or not text.startswith(heading.text):
            break
        found = above if len(text) > len(heading.text) else found
    return found if found is not None and found.css_first(_NEVER_IN_BOXES) is None else None


def leads_to_others(box: LexborNode, host: str) -> bool:
    """Beside each summary there is a link to another page."""
    links = [link for link in box.css("a[href]") if leads_within(link.attributes.get("href") or "", host)]
    prose = [block for block in leaf_blocks(box) if len(block.text) >= SHORTEST_PROSE and block.link_share < 0.5]
    return len(links) > 0 and len(prose) <= len(links)


def remove_linked_figures(root: LexborNode, host: str) -> None:
    """A figure that is one link to another page of the site, with a headline in it, is a teaser."""
    for figure in reversed(shallow(root.css("figure")[:MOST_FIGURES])):
        if figure.css_first(HEADING) is not None and is_one_link(figure, host):
            figure.decompose()


def is_one_link(figure: LexborNode, host: str) -> bool:
    hrefs = {link.attributes.get("href") or "" for link in figure.css("a[href]")}
    return len(hrefs) == 1 and link_share(figure) > 0.9 and leads_within(hrefs.pop(), host)


def remove_quoted_pointers(root: LexborNode, host: str) -> None:
    """Some sites set "Read also" as a quotation, which no other rule removes."""
    for quotation in reversed(root.css("blockquote")[:MOST_QUOTATIONS]):
        if is_pointer(quotation, host):
            quotation.decompose()


def is_pointer(quotation: LexborNode, host: str) -> bool:
    text = short_text(quotation, LONGEST_POINTER)
    if text is None or POINTER.match(text) is None or link_share(quotation) < 0.4:
        return False
    return all(leads_within(link.attributes.get("href") or "", host) for link in quotation.css("a[href]"))
