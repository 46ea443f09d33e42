"""The rules of extraction, in order: what is done to a page before Readability reads it, and to its answer after.

Each is a function that changes a tree in place, with examples in `tests/data/rules/`. A rule is here because pages that
it was not written for are read worse without it: `./bench extract --each` shows that.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.rules.boxes import (
    remove_comments,
    remove_menu_cells,
    remove_sign_up_boxes,
    unwrap_quotations,
)
from kept.content.article.rules.ends import remove_closing, remove_opening
from kept.content.article.rules.facts import PageFacts, Subject, find_facts
from kept.content.article.rules.headings import keep_headings
from kept.content.article.rules.hints import remove_after_article, remove_hinted, remove_unlikely
from kept.content.article.rules.lines import remove_link_lists, remove_prompts, remove_repeated_captions
from kept.content.article.rules.panels import open_panels
from kept.content.article.rules.streams import remove_streams
from kept.content.article.rules.teasers import remove_other_articles, remove_stray_links

BeforeRule = Callable[[LexborNode, PageFacts], None]
AfterRule = Callable[[LexborNode, Subject], None]

BEFORE: Final[tuple[BeforeRule, ...]] = (
    # Answers and tabs that a click opens are hidden, and their questions are buttons: Readability removes both.
    open_panels,
    # What readers wrote is often longer than the article.
    remove_comments,
    # Embedded posts go with their wrappers, which Readability takes for boxes of links.
    unwrap_quotations,
    # Of a form that asks for an e-mail address Readability leaves the words.
    remove_sign_up_boxes,
    # In the tables of old pages a menu is a cell beside the text.
    remove_menu_cells,
    # Many summaries of other pages have more prose than a short article.
    remove_streams,
    # A heading called "header" or alone in its box is lost otherwise.
    keep_headings,
)

# Containers first, so that the ends are the article's own.
AFTER: Final[tuple[AfterRule, ...]] = (
    # Menus, dialogs and buttons are never the article.
    remove_unlikely,
    # What follows the element that the page calls its article is something else.
    remove_after_article,
    # Authors of pages name share bars, related stories and newsletters as such.
    remove_hinted,
    # Small `article` elements beside the large one are teasers.
    remove_other_articles,
    # "Related stories" and the links below it, where no name says so.
    remove_link_lists,
    # A paragraph that is one link to another page of the site stands between the article's own.
    remove_stray_links,
    # "Sign up for our newsletter", "Advertisement", "Read more: …".
    remove_prompts,
    # Slide shows say each caption several times.
    remove_repeated_captions,
    # Title, byline and date are shown above the article already.
    remove_opening,
    # Credits, the site's footer and headings of nothing come last.
    remove_closing,
)


@dataclass(frozen=True, slots=True)
class Rules:
    """Which rules are followed: all of them, but for benches that leave some out."""

    before: tuple[BeforeRule, ...] = BEFORE
    after: tuple[AfterRule, ...] = AFTER
    second_opinion: bool = True

    def prepare(self, page: LexborHTMLParser, url: str) -> None:
        """In place, before Readability reads the page, which is at `url`."""
        if page.body is None:
            return
        facts = find_facts(page, url)
        for rule in self.before:
            rule(page.body, facts)

    def prune(self, root: LexborNode, subject: Subject) -> None:
        """In place, what Readability made of the page."""
        for rule in self.after:
            rule(root, subject)

    def names(self) -> list[str]:
        return [*(rule.__name__ for rule in (*self.before, *self.after)), "second_opinion"]

    def without(self, names: Iterable[str]) -> "Rules":
        gone = frozenset(names)
        return Rules(
            tuple(rule for rule in self.before if rule.__name__ not in gone),
            tuple(rule for rule in self.after if rule.__name__ not in gone),
            self.second_opinion and "second_opinion" not in gone,
        )


RULES: Final = Rules()
