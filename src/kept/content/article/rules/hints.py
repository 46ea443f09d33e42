"""Removes what tags, classes and ids call something else than the article, or place after it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.rules import thresholds
from kept.content.article.rules.facts import Subject
from kept.content.article.rules.tree import (
    ancestors,
    elements,
    hint_of,
    linked_length,
    name_of,
    outermost,
    remove_around,
    text_of,
)
from kept.content.article.rules.walks import shallow

# Whole words (see `hint_of`), so that "shared" and "socialist" are safe; chosen for what they name.
_CLUTTER: Final = (
    # sharing and following
    "share|shares|sharing|share-?bar|share-?daddy|share-?this|shareaholic|add-?this|add-?to-?any|socials?",
    # asking for an address, money or an installation
    "newsletters?|subscribe|subscription|subscribers?|sign-?up|opt-?in|mailing-list|mailchimp",
    "cta|call-to-action|donate|donation|tip-jar|app-(?:download|promo)|download-app",
    # other pages
    "relateds?|recommended|recommendations?|recirc|recirculation|read-(?:more|next|also)|up-next|trending",
    "more-(?:from|on|stories|news)|also-(?:like|read)|you-may|most-(?:read|popular|viewed|recent)|popular-posts",
    "latest-(?:news|posts|stories)|(?:next|prev|previous)-(?:post|article|story)|post-nav(?:igation)?",
    # advertising
    "outbrain|taboola|revcontent|zergnet|mgid|sponsors?|sponsored|adverts?|advertisements?|advertising",
    "ads?|adsbygoogle|dfp|promos?|promotion|promoted|affiliate-disclosure",
    # over the page, and around it
    "cookies?|consent|gdpr|paywall|pop-?up|modal|interstitial|nav|nav-?bar|navigation|menu|sub-?menu|sub-?nav",
    "breadcrumbs?|pagination|pager|tool-?bar|side-?bar|skip-?link|jump-links|copyright|legal|terms",
    "(?:article|print|post|story|page)-tools|(?:article-)?controls|control-bar|slide-count",
    "print-(?:header|footer|only)|printfriendly",
    # the author
    "author-(?:bio|box|card|info|details?|description|profile|block|meta|about|footer|links|gear)",
    "(?:post|article|entry|about|single)-(?:the-)?author|bio|biography|contributors?",
    # readers
    "comments?|comment-?(?:list|form|area|section|box)|kommentare?|commentaires?|disqus|livefyre|respond|trackbacks?|replies|poll|quiz|survey|feedback|rating-widget",
    "report-(?:a-)?(?:typo|error|bug)",
    # labels
    "tags?-?list|tag-?links|tag-?cloud|(?:post|entry|article)-(?:tags|categories)|tagged|topics-list|cat-links",
    "reading-time|read-time|estimated-read|time-to-read",
)
CLUTTER: Final = re.compile(f"-(?:{'|'.join(_CLUTTER)})-")

# Shown to nobody who looks at the page: for screen readers, for printing, or until the mouse comes.
_INVISIBLE: Final = (
    "sr-only|screen-reader(?:-text|-only)?|visually-?hidden|off-?screen|element-invisible",
    # but not a label alone, nor on screens of some size, nor on paper
    "(?<!-label-)(?:hidden|hide)(?!-(?:for|from|on|until|below|above|xs|sm|md|lg|xl|small|medium|large|phone|mobile|tablet"
    "|desktop|print|label|title)-)",
    "assistive-text|print-only|d-print-block",
    "(?:tooltip|popover|rollover|hover-?card)-?(?:[a-z]+-)?(?:block|content|text|box|body|inner|panel|popup)",
)
INVISIBLE: Final = re.compile(f"-(?:{'|'.join(_INVISIBLE)})-")

UNLIKELY: Final = (
    "nav, aside, menu, dialog, button, input, select, textarea, "
    "[role=navigation], [role=menu], [role=dialog], [role=alert], [role=complementary]"
)

_AUTHORS: Final = frozenset({"-bio-", "-biography-", "-contributor-", "-contributors-"})
# What a page calls its article, best evidence first.
_OWN_ARTICLE: Final = ("article", "[itemprop~=articleBody]")


def remove_unlikely(root: LexborNode, _subject: Subject) -> None:
    remove_around(outermost(root.css(UNLIKELY)))


def remove_hinted(root: LexborNode, _subject: Subject) -> None:
    most = thresholds.LARGEST_HINTED_SHARE * len(text_of(root))
    bearing = shallow(node for node in elements(root) if find_names(name_of(node)))
    named = [(node, find_names(hint_of(node))) for node in bearing if len(text_of(node)) < most]
    named = [(node, names) for node, names in named if names]
    misleading = find_misleading(named, thresholds.LARGEST_SHARE_OF_A_NAME * unlinked_length(root))
    remove_around(outermost(node for node, names in named if not names <= misleading))


def find_names(hint: str) -> frozenset[str]:
    """The names of clutter in what an element is called."""
    return _find_names(hint) if len(hint) <= thresholds.LONGEST_REMEMBERED else _find_names.__wrapped__(hint)


@lru_cache(maxsize=2048)
def _find_names(hint: str) -> frozenset[str]:
    if not hint or (CLUTTER.search(hint) or INVISIBLE.search(hint)) is None:
        return frozenset()
    return frozenset(found[0] for pattern in (CLUTTER, INVISIBLE) for found in pattern.finditer(hint))


def find_misleading(named: list[tuple[LexborNode, frozenset[str]]], most: float) -> set[str]:
    """The names that so much prose bears that they cannot mean what they say."""
    borne = {name: bearers(named, name) for name in {name for _, names in named for name in names}}
    return {name for name, nodes in borne.items() if sum(map(unlinked_length, nodes)) > most or is_of_many(name, nodes)}


def is_of_many(name: str, nodes: list[LexborNode]) -> bool:
    """An article has few authors: where more are described, the page is about them."""
    return name in _AUTHORS and len(nodes) > thresholds.MOST_AUTHORS


def bearers(named: list[tuple[LexborNode, frozenset[str]]], name: str) -> list[LexborNode]:
    return outermost(node for node, names in named if name in names)


def unlinked_length(node: LexborNode) -> int:
    return len(text_of(node)) - linked_length(node)


def remove_after_article(root: LexborNode, _subject: Subject) -> None:
    """What stands before it is often its lead, and is left to the rules for an article's opening."""
    least = thresholds.LEAST_SHARE_OF_OWN_ARTICLE * len(text_of(root))
    named = (node for selector in _OWN_ARTICLE for node in outermost(root.css(selector)))
    article = next((node for node in named if len(text_of(node)) >= least), None)
    if article is not None:
        remove_around(list(_after(article, root)))


def _after(node: LexborNode, root: LexborNode) -> Iterator[LexborNode]:
    for inner in (node, *ancestors(node)):
        if inner.mem_id == root.mem_id:
            return
        following = inner.next
        while following is not None:
            if following.is_element_node:
                yield following
            following = following.next
