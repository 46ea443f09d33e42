"""Opens what a page shows on a click: answers of a list of questions, and tabs.

Readability removes what is hidden, and every button, so that the questions go with the answers.
"""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.prune.hints import CLUTTER
from kept.content.article.prune.tree import HEADINGS, ancestors, link_share, name_of, short_text, weigh_text
from kept.content.article.tag_names import tags

_HIDDEN: Final = (
    'div[hidden], div[aria-hidden="true"], div[style*="display:none"], div[style*="display: none"], '
    "section[hidden], dd[hidden], p[hidden]"
)
_STATES: Final = ("hidden", "aria-hidden", "style")
# And links that lead nowhere: to Readability a line that is one link is clutter.
_CONTROLS: Final = 'button, a[aria-expanded], a[data-toggle="collapse"], a[data-bs-toggle="collapse"], a:not([href])'
_OPENS: Final = ("aria-controls", "data-target", "data-bs-target")
_BUTTON: Final = frozenset({"aria-expanded", *_OPENS})
# What such panels are called, or what holds them.
_PANEL: Final = re.compile(
    r"-(?:answers?|faqs?|accordions?|collaps\w{1,10}|toggles?|tabs?|tab-?panels?|expand\w{0,10})-"
)
_BESIDE: Final = tags("nav header footer aside form dialog menu figure select")
_NO_PANEL: Final = "form, input, select, textarea, iframe, video"
MOST_PANELS: Final = 300
MOST_CONTROLS: Final = 500
SHORTEST_PANEL: Final = 40
LONGEST_PANEL: Final = 20_000
LONGEST_QUESTION: Final = 250
LARGEST_LINKED_SHARE: Final = 0.4


def open_panels(page: LexborHTMLParser) -> None:
    assert page.body is not None
    controls = page.body.css(_CONTROLS)[:MOST_CONTROLS]
    buttons = [node for node in controls if node.tag == "button" and _BUTTON & node.attributes.keys()]
    opened = {target for button in buttons for target in list_targets(button)}
    for panel in page.body.css(_HIDDEN)[:MOST_PANELS]:
        if is_opened(panel, opened) and is_text(panel):
            for state in _STATES:
                if state in panel.attributes:
                    del panel.attrs[state]
    for link in controls:
        if (
            link.tag == "a"
            and not is_place(link)
            and short_text(link, LONGEST_QUESTION)
            and not stands_beside_text(link)
        ):
            link.unwrap()
    for button in reversed(buttons):  # last first: one may stand in another, which takes its place away
        show_question(page, button)


def list_targets(button: LexborNode) -> list[str]:
    named = " ".join(button.attributes.get(name) or "" for name in _OPENS)
    return [target.lstrip("#") for target in named.split()]


def is_opened(panel: LexborNode, opened: set[str]) -> bool:
    if panel.attributes.get("id") in opened or panel.attributes.get("role") == "tabpanel":
        return True
    around = (panel, panel.parent) if panel.parent is not None else (panel,)
    return any(_PANEL.search(name_of(node)) for node in around)


def is_text(panel: LexborNode) -> bool:
    """Not a menu, a dialog or a form."""
    text = short_text(panel, LONGEST_PANEL)
    if text is None or weigh_text(text) < SHORTEST_PANEL or panel.css_first(_NO_PANEL) is not None:
        return False
    return link_share(panel) <= LARGEST_LINKED_SHARE and not any(map(stands_beside, (panel, *ancestors(panel))))


def stands_beside(node: LexborNode) -> bool:
    if node.tag in _BESIDE or (node.attributes.get("role") or "") in {"dialog", "menu", "navigation", "tooltip"}:
        return True
    return node.tag != "body" and CLUTTER.search(name_of(node)) is not None


def show_question(page: LexborHTMLParser, button: LexborNode) -> None:
    """In a heading its words are enough; elsewhere it becomes one, if it stands before what it opens."""
    text = short_text(button, LONGEST_QUESTION)
    if not text or stands_beside_text(button):
        return
    if any(above.tag in HEADINGS for above in ancestors(button)):
        button.unwrap()
    elif opens_text_after(button):
        heading = page.create_node("h3")
        heading.insert_child(text)
        button.replace_with(heading)


def is_place(link: LexborNode) -> bool:
    return "id" in link.attributes or "name" in link.attributes


def stands_beside_text(button: LexborNode) -> bool:
    return any(map(stands_beside, ancestors(button)))


def opens_text_after(button: LexborNode) -> bool:
    """Its panel follows it, or the box that it is in."""
    targets = set(list_targets(button))
    parent = button.parent
    near = [following(button), following(parent) if parent is not None else None]
    return any(node is not None and node.attributes.get("id") in targets and is_text(node) for node in near)


def following(node: LexborNode) -> LexborNode | None:
    after = node.next
    while after is not None and not after.is_element_node:
        after = after.next
    return after
