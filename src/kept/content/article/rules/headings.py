"""Before Readability: keeps headings and sections that it would remove for their names, or for standing in a box alone.

To Readability a heading that is called "header" is the top of the site, a section with the id "extra-tips" stands
beside the article, and a box that holds nothing but a heading is empty.
"""

import re
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.evidence import tells_of_others
from kept.content.article.rules.facts import PageFacts
from kept.content.article.rules.hints import find_names
from kept.content.article.rules.tree import HEADING, HEADINGS, ancestors, remove_all, short_text, spell
from kept.content.markup import tags

_HEADINGS: Final = "h2, h3, h4, h5, h6"
_WRAPPERS: Final = tags("div header hgroup")
_SECTIONS: Final = tags("section div")
_WITH_IDS: Final = "[id]:is(h2, h3, h4, h5, h6, p, section, div, span)"
# What Readability takes for clutter, as parts of words too; and "nav", which we do.
_MISREAD: Final = re.compile(
    r"-ad-|banner|breadcrumbs|comment|community|extra|footer|gdpr|header|legends|menu|related|remark|replies|rss"
    r"|sidebar|social|sponsor|supplemental|ad-break|pagination|pager|popup|hidden|contact|media|meta|promo|scroll|share"
    r"|shopping|tags|widget|nav",
    re.IGNORECASE,
)
_EDIT_LINKS: Final = 'a[href*="action=edit"][href*="section="]'
_WORDY: Final = re.compile(r"\w")
_SEPARATORS: Final = re.compile(r"[-_ ]+")
_SPELLED: Final = re.compile(r"[^\W_]+")


def keep_headings(body: LexborNode, _page: PageFacts) -> None:
    remove_edit_links(body)
    headings = body.css(_HEADINGS)[: thresholds.MOST_BOXES]
    for heading in reversed(headings):  # one may stand in another, which is written anew
        remove_name(heading)
        mark_words(heading)
    misread = [
        node
        for node in body.css(_WITH_IDS)[: thresholds.MOST_ELEMENTS]
        if _MISREAD.search(node.attributes.get("id") or "")
    ]
    sections = [node for node in misread if node.tag in _SECTIONS]
    for node in (*(node for node in misread if node.tag not in _SECTIONS), *sections[: thresholds.MOST_LOOKED_THROUGH]):
        identity = node.attributes.get("id") or ""
        if spells_text(identity, node):
            move_id(node, identity)


def remove_edit_links(body: LexborNode) -> None:
    """Wikis offer to edit each section: the link goes, with the brackets around it and those beside it."""
    remove_all(map(find_brackets, body.css(_EDIT_LINKS)[: thresholds.MOST_ELEMENTS]))


def find_brackets(link: LexborNode) -> LexborNode:
    """The largest of the boxes around a link that have no words of their own."""
    box = link
    for above in islice(ancestors(link), thresholds.HIGHEST_LINE):
        if above.tag != "span" or _WORDY.search(above.text(deep=False)):
            break
        box = above
    return box


def remove_name(heading: LexborNode) -> None:
    if _MISREAD.search(heading.attributes.get("class") or "") and not any(map(find_names, short_names(heading))):
        del heading.attrs["class"]


def short_names(node: LexborNode) -> list[str]:
    return [
        name
        for name in spell(node.attributes.get("class") or "", "").split()
        if name.count("-") - 1 <= thresholds.MOST_WORDS_OF_A_NAME
    ]


def mark_words(heading: LexborNode) -> None:
    """Readability counts the words in a box by its lines, lists and spans; it removes a box in which it counts none."""
    wrapper = heading.parent
    if (
        wrapper is None
        or wrapper.tag not in _WRAPPERS
        or len(list(islice(wrapper.iter(), thresholds.MOST_BESIDE_HEADING + 1))) > thresholds.MOST_BESIDE_HEADING
    ):
        return
    words = short_text(heading, thresholds.LONGEST_SECTION_HEADING)
    if words and heading.css_first("span, img") is None and short_text(wrapper, len(words)) == words:
        heading.inner_html = f"<span>{heading.inner_html}</span>"


def spells_text(identity: str, node: LexborNode) -> bool:
    """Whether an id repeats the words of a heading, and these do not tell of other pages."""
    words = _SEPARATORS.split(identity.lower())
    if node.tag == "p":
        return len(words) >= thresholds.FEWEST_WORDS_OF_A_SENTENCE
    heading = find_heading(node)
    text = short_text(heading, thresholds.LONGEST_SECTION_HEADING) if heading is not None else None
    if text is None or tells_of_others(text):
        return False
    return node.tag not in _SECTIONS or _SPELLED.findall(text.lower())[: len(words)] == words


def find_heading(node: LexborNode) -> LexborNode | None:
    """Itself, the one around a part of it, or the first of a section."""
    if node.tag in _SECTIONS:
        return node.css_first(HEADING)
    return next(
        (near for near in (node, *islice(ancestors(node), thresholds.HIGHEST_LINE)) if near.tag in HEADINGS), None
    )


def move_id(node: LexborNode, identity: str) -> None:
    """Links of a table of contents lead to it, so that it is put on an empty link, which Readability keeps."""
    del node.attrs["id"]
    place = node.parser.create_node("a")
    place.attrs["id"] = identity
    first = node.first_child
    if first is None:
        node.insert_child(place)
    else:
        first.insert_before(place)
