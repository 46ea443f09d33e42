"""Before Readability: opens what a page shows on a click: answers of a list of questions, and tabs.

Readability removes what is hidden, and every button, so that the questions go with the answers.
"""

import re
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.facts import PageFacts
from kept.content.article.rules.hints import CLUTTER
from kept.content.article.rules.tree import HEADINGS, link_share, name_of, short_text, weigh_text
from kept.content.article.rules.walks import Inherited, is_inherited, shallow
from kept.content.markup import tags

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


def open_panels(body: LexborNode, _page: PageFacts) -> None:
    """Everything is judged before anything is changed."""
    controls = body.css(_CONTROLS)[: thresholds.MOST_BOXES]
    buttons = [node for node in controls if node.tag == "button" and _BUTTON & node.attributes.keys()]
    opened = {target for button in buttons for target in list_targets(button)}
    hidden = [panel for panel in body.css(_HIDDEN)[: thresholds.MOST_BOXES] if is_opened(panel, opened)]
    beside = is_inherited(stands_beside)
    texts = find_texts([*hidden, *(node for button in buttons for node in opened_after(button))], beside)
    links = [node for node in controls if node.tag == "a" and not is_place(node) and is_question(node, beside)]
    in_heading = is_inherited(lambda node: node.tag in HEADINGS)
    questions = [
        (button, bool(in_heading.of(button)))
        for button in buttons
        if is_question(button, beside) and (in_heading.of(button) or opens_text(button, texts))
    ]
    for panel in hidden:
        if panel.mem_id in texts:
            show(panel)
    for link in links:
        link.unwrap()
    for button, is_in_heading in reversed(questions):  # one may stand in another, which takes its place away
        show_question(button, is_in_heading)


def list_targets(button: LexborNode) -> list[str]:
    named = " ".join(button.attributes.get(name) or "" for name in _OPENS)
    return [target.lstrip("#") for target in named.split()]


def is_opened(panel: LexborNode, opened: set[str]) -> bool:
    if panel.attributes.get("id") in opened or panel.attributes.get("role") == "tabpanel":
        return True
    around = (panel, panel.parent) if panel.parent is not None else (panel,)
    return any(_PANEL.search(name_of(node)) for node in around)


def find_texts(panels: list[LexborNode], beside: Inherited[bool]) -> set[int]:
    """By `mem_id`, the panels that are no menu, dialog or form. Each is looked through, and a page may nest them."""
    return {panel.mem_id for panel in shallow(panels) if is_text(panel) and not beside.of(panel)}


def is_text(panel: LexborNode) -> bool:
    text = short_text(panel, thresholds.LONGEST_PANEL)
    if text is None or weigh_text(text) < thresholds.SHORTEST_PANEL or panel.css_first(_NO_PANEL) is not None:
        return False
    return link_share(panel) <= thresholds.LARGEST_LINKED_SHARE


def stands_beside(node: LexborNode) -> bool:
    if node.tag in _BESIDE or (node.attributes.get("role") or "") in {"dialog", "menu", "navigation", "tooltip"}:
        return True
    return node.tag != "body" and CLUTTER.search(name_of(node)) is not None


def show(panel: LexborNode) -> None:
    for state in _STATES:
        if state in panel.attributes:
            del panel.attrs[state]


def is_question(control: LexborNode, beside: Inherited[bool]) -> bool:
    return bool(short_text(control, thresholds.LONGEST_QUESTION)) and not beside.of(control.parent)


def show_question(button: LexborNode, is_in_heading: bool) -> None:
    """In a heading its words are enough; elsewhere it becomes one."""
    if is_in_heading:
        button.unwrap()
        return
    heading = button.parser.create_node("h3")
    heading.insert_child(short_text(button, thresholds.LONGEST_QUESTION) or "")
    button.replace_with(heading)


def is_place(link: LexborNode) -> bool:
    return "id" in link.attributes or "name" in link.attributes


def opens_text(button: LexborNode, texts: set[int]) -> bool:
    return any(node.mem_id in texts for node in opened_after(button))


def opened_after(button: LexborNode) -> list[LexborNode]:
    """Its panel, if that follows it or the box that it is in."""
    targets = set(list_targets(button))
    parent = button.parent
    near = [following(button), following(parent) if parent is not None else None]
    return [node for node in near if node is not None and node.attributes.get("id") in targets]


def following(node: LexborNode) -> LexborNode | None:
    after = node.next
    for _ in range(thresholds.MOST_NEAR):
        if after is None or after.is_element_node:
            return after
        after = after.next
    return None
