"""Removes names that only tell how a part is laid out, and for which Readability would remove its paragraphs.

The same for ids that spell a heading: to Readability a section with the id "extra-tips" stands beside the article.
"""

import re
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.prepare.boxes import is_prose
from kept.content.article.prune.hints import find_names
from kept.content.article.prune.tree import HEADING, HEADINGS, ancestors, name_of, spell, text_of
from kept.content.article.prune.wording import tells_of_others
from kept.content.article.tag_names import tags

# To Readability these are players and what stands in a side bar; page builders and style sheets put them on anything.
_LAYOUT: Final = 'div[class*="media"], div[class*="widget"], div[class*="scroll"], div[class*="shopping"]'
_HEADINGS: Final = "h2[class], h3[class], h4[class], h5[class], h6[class]"
# What Readability takes for clutter, as parts of words too.
_MISREAD: Final = re.compile(
    r"-ad-|banner|breadcrumbs|comment|community|extra|footer|gdpr|header|legends|menu|related|remark|replies|rss"
    r"|sidebar|social|sponsor|supplemental|ad-break|pagination|pager|popup",
    re.IGNORECASE,
)
_WITH_IDS: Final = "h2[id], h3[id], h4[id], h5[id], h6[id], p[id], section[id], div[id]"
_SEPARATORS: Final = re.compile(r"[-_ ]+")
_SPELLED: Final = re.compile(r"[^\W_]+")
# So many words are a sentence, whatever they are.
WORDS_OF_A_SENTENCE: Final = 4
MOST_WORDS_OF_A_NAME: Final = 3
MOST_IDS: Final = 2_000
_OWN_PARTS: Final = tags("article main")
MOST_NAMED: Final = 200
MOST_CHILDREN: Final = 50


def remove_layout_names(body: LexborNode) -> None:
    for node in {node.mem_id: node for node in body.css(_LAYOUT)[:MOST_NAMED]}.values():
        if holds_paragraph(node) and stands_in_main_part(node) and not find_names(name_of(node)):
            del node.attrs["class"]


def remove_names_of_headings(body: LexborNode) -> None:
    """A heading is often called "header", which to Readability is the top of the site."""
    for heading in body.css(_HEADINGS)[:MOST_NAMED]:
        if not any(map(find_names, short_names(heading))):
            del heading.attrs["class"]


def short_names(node: LexborNode) -> list[str]:
    """In a name of many words none of them tells what the element is: "anchorWithStickyNavbar"."""
    return [name for name in spell(node, "").split() if name.count("-") - 1 <= MOST_WORDS_OF_A_NAME]


def move_ids_of_headings(page: LexborHTMLParser) -> None:
    """Links of a table of contents lead to these ids, so that each is put on an empty link, which Readability keeps."""
    assert page.body is not None
    for node in page.body.css(_WITH_IDS)[:MOST_IDS]:
        identity = node.attributes.get("id") or ""
        if _MISREAD.search(identity) and spells_text(identity, node):
            del node.attrs["id"]
            place = page.create_node("a")
            place.attrs["id"] = identity
            put_first(node, place)


def spells_text(identity: str, node: LexborNode) -> bool:
    """Whether an id repeats the words of a heading, and these do not tell of other pages."""
    words = _SEPARATORS.split(identity.lower())
    if node.tag == "p":
        return len(words) >= WORDS_OF_A_SENTENCE
    heading = node if node.tag in HEADINGS else node.css_first(HEADING)
    if heading is None or tells_of_others(text_of(heading)):
        return False
    return node.tag in HEADINGS or begins_with(heading, words)


def begins_with(heading: LexborNode, words: list[str]) -> bool:
    return _SPELLED.findall(text_of(heading).lower())[: len(words)] == words


def put_first(node: LexborNode, inner: LexborNode) -> None:
    first = node.first_child
    if first is None:
        node.insert_child(inner)
    else:
        first.insert_before(inner)


def holds_paragraph(node: LexborNode) -> bool:
    return any(child.tag == "p" and is_prose(child) for child in islice(node.iter(), MOST_CHILDREN))


def stands_in_main_part(node: LexborNode) -> bool:
    """In what the page calls its article, and in nothing that stands beside that."""
    for above in ancestors(node):
        if above.tag in _OWN_PARTS:
            return True
        if above.tag == "aside" or find_names(name_of(above)):
            return False
    return False
