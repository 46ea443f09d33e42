"""The page that goes on with an article, and the versions a page names of itself. Pure; reads a whole page once.

A link is followed only on evidence: its URL is this one's with the next page number, and either the page numbers its
pages itself ("2" leads to page 2, "page 1 of 5") or it is `rel=next` and the next page has the same title. Links of
lists, forums, front pages and comments, whose pages are numbered too, are never followed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.page.links import MAX_IMAGE_URL, page_base, resolve_http
from kept.content.page.page_number import OF, NextPage, NumberedUrl, follow, is_page_of, read_numbers
from kept.urls.identity import is_front_door, is_same_site
from kept.urls.url import NormalisedUrl, parse_url

_MAX_LINKS: Final = 3_000
_MAX_ANCESTORS: Final = 12
_MAX_POSTS: Final = 50
# So many posts with a linked heading each are a list.
_LISTED: Final = 3

# These are looked for in the markup first, so that pages without them are not parsed again: 9 of 10 in the corpus.
_REL_NEXT: Final = re.compile(r"""rel\s{0,5}=\s{0,5}["']?[^"'<>]{0,60}next""")
_LINKED_NUMBER: Final = re.compile(r">\s{0,50}(\d{1,3})\s{0,50}<", re.ASCII)
_ONE_OF: Final = re.compile(r"1\s{0,3}(?:</[a-z]{1,6}>)?\s{0,3}(?:of|von|de|di|av|af|z|van|sur|/)[\s<]")
_PAGE_OF: Final = re.compile(
    rf"\b(?:page|seite|página|pagina|sida|side|sivu|strona)\s{{1,3}}(\d{{1,3}}){OF}(\d{{1,3}})\b"
)
_SMALL_NUMBER: Final = re.compile(r"\d{1,3}", re.ASCII)

_COMMENTS: Final = re.compile(r"comment|respond|disqus|repl(?:y|ies)|discussion|kommentar", re.IGNORECASE)
_COMMENTS_URL: Final = re.compile(r"comments?[-_=/]|cpage=|replytocom|#[^#]{0,20}comment", re.IGNORECASE)
# `/tag/harbours` and `/forum/2` are lists; of `/blog/` and `/archives/` only these themselves.
_LIST_PARENT: Final = re.compile(
    r"categor(?:y|ies)|tags?|topics?|authors?|search|forums?|threads?|viewtopic(?:\.php)?|showthread(?:\.php)?"
    r"|comments?|kategorie|thema|suche",
    re.IGNORECASE,
)
_LIST_ITSELF: Final = re.compile(r"blog|news|archives?|articles?|stories|posts|latest", re.IGNORECASE)
_ARTICLE_TYPE: Final = re.compile(r'"@type"\s{0,5}:\s{0,5}\[?\s{0,5}"(?:[a-z]{0,20}article|blogposting|report|review)"')
_LIST_TYPE: Final = re.compile(
    r'"@type"\s{0,5}:\s{0,5}\[?\s{0,5}"(?:collectionpage|searchresultspage|discussionforumposting|qapage|profilepage)"'
)
_POSTS: Final = "article, .hentry, .h-entry, [itemtype$=BlogPosting]"


def find_next_page(html: str, url: str) -> NextPage | None:
    """Find the next page after the one at `url`, whose markup is within bounds (`bounds.find_excess`)."""
    current = parse_url(url)
    if not isinstance(current, NormalisedUrl) or not _may_go_on(current, html):
        return None
    tree = LexborHTMLParser(html.encode("utf-8", "replace"))
    found = _PageLinks(tree, current).find_next()
    return found if found is not None and not _is_list(tree, html.lower()) else None


def find_alternate(html: str, url: str) -> str | None:
    """Find the page's AMP version, else the one it has for printing; on the same site only."""
    page = parse_url(url)
    if not isinstance(page, NormalisedUrl):
        return None
    tree = LexborHTMLParser(html.encode("utf-8", "replace"))
    base = _find_base(tree, url)
    for selector in ("link[rel~=amphtml i][href]", "link[rel~=alternate i][media=print i][href]"):
        for node in tree.css(selector)[:5]:
            found = _resolve(node, base)
            if found is not None and found != page and is_same_site(page, found):
                return str(found)
    return None


def find_chosen(html: str, url: str, selector: str) -> NextPage | None:
    """Find the link that a site rule names; on the same site only."""
    page = parse_url(url)
    if not isinstance(page, NormalisedUrl):
        return None
    tree = LexborHTMLParser(html.encode("utf-8", "replace"))
    base = _find_base(tree, url)
    for node in tree.css(selector)[:5]:
        link = node if node.attributes.get("href") else node.css_first("a[href]")
        found = _resolve(link, base) if link is not None else None
        if found is not None and found != page and is_same_site(page, found):
            return NextPage(str(found))
    return None


@dataclass(frozen=True, slots=True)
class _Link:
    url: NormalisedUrl
    text: str
    is_rel_next: bool


class _PageLinks:
    """The links of a page that may lead to other pages of its article."""

    def __init__(self, tree: LexborHTMLParser, current: NormalisedUrl) -> None:
        self._tree = tree
        self._current = current
        self._next_numbers = [str(read.number + 1) for read in read_numbers(current)]
        self._links = list(self._read_links())

    def find_next(self) -> NextPage | None:
        numbered = [(link, read) for link in self._links if (read := follow(self._current, link.url)) is not None]
        by_number = next((pair for pair in numbered if pair[0].text == str(pair[1].number)), None)
        chosen = (
            by_number or next((pair for pair in numbered if pair[0].is_rel_next), None) or next(iter(numbered), None)
        )
        if chosen is None:
            return None
        link, read = chosen
        told_last = self._find_told_last(read)
        is_sure = by_number is not None or told_last is not None
        if not is_sure and (read.is_plain or not link.is_rel_next):
            return None
        return NextPage(str(link.url), read.number, self._find_last(read, told_last), is_sure)

    def _find_told_last(self, following: NumberedUrl) -> int | None:
        """Return the 5 of "Page 1 of 5", if 1 is the current page."""
        body = self._tree.body
        text = body.text(separator=" ").lower() if body is not None else ""
        told = ((int(found[1]), int(found[2])) for found in _PAGE_OF.finditer(text))
        return next((last for number, last in told if number == following.number - 1 < last), None)

    def _find_last(self, following: NumberedUrl, told_last: int | None) -> int:
        numbers = [
            int(link.text)
            for link in self._links
            if _SMALL_NUMBER.fullmatch(link.text) and is_page_of(self._current, link.url, int(link.text))
        ]
        return max([following.number, *numbers, *filter(None, [told_last])])

    def _read_links(self) -> Iterator[_Link]:
        base = _find_base(self._tree, str(self._current))
        for node in [*self._tree.css("link[rel~=next i][href]")[:20], *self._tree.css("a[href]")[:_MAX_LINKS]]:
            link = self._read_link(node, base)
            if link is not None and not _is_about_comments(node):
                yield link

    def _read_link(self, node: LexborNode, base: str) -> _Link | None:
        attributes = node.attributes
        href, text = attributes.get("href") or "", node.text()[:100].strip() if node.tag == "a" else ""
        is_rel_next = "next" in (attributes.get("rel") or "").lower().split()
        may_be_page = any(number in href for number in self._next_numbers) or _SMALL_NUMBER.fullmatch(text)
        if not may_be_page or _COMMENTS_URL.search(href[-200:]):
            return None
        url = _resolve(node, base)
        if url is None or url.host.removeprefix("www.") != self._current.host.removeprefix("www."):
            return None
        return _Link(url, text, is_rel_next)


def _may_go_on(current: NormalisedUrl, html: str) -> bool:
    if is_front_door(current) or _names_list(current):
        return False
    numbers = {read.number for read in read_numbers(current)}
    return (
        _REL_NEXT.search(html) is not None
        or any(int(found[1]) - 1 in numbers for found in _LINKED_NUMBER.finditer(html))
        or max(numbers) > 1
        or _ONE_OF.search(html) is not None
    )


def _names_list(url: NormalisedUrl) -> bool:
    parts = url.path.rstrip("/").split("/")[-2:]
    return bool(_LIST_ITSELF.fullmatch(parts[-1])) or any(_LIST_PARENT.fullmatch(part) for part in parts)


def _is_list(tree: LexborHTMLParser, lowered: str) -> bool:
    if _LIST_TYPE.search(lowered):
        return True
    kind = tree.css_first('meta[property="og:type"]')
    if kind is not None and (kind.attributes.get("content") or "").lower() == "article":
        return False
    if _ARTICLE_TYPE.search(lowered):
        return False
    return sum(_has_linked_heading(post) for post in tree.css(_POSTS)[:_MAX_POSTS]) >= _LISTED


def _has_linked_heading(post: LexborNode) -> bool:
    return post.css_first("h1 a[href], h2 a[href], h3 a[href]") is not None


def _is_about_comments(node: LexborNode) -> bool:
    above: LexborNode | None = node
    for _ in range(_MAX_ANCESTORS):
        if above is None or above.tag in {"body", "main", "article"}:
            return False
        attributes = above.attributes
        if any(_COMMENTS.search((attributes.get(name) or "")[:500]) for name in ("class", "id")):
            return True
        above = above.parent
    return False


def _find_base(tree: LexborHTMLParser, url: str) -> str:
    base = tree.css_first("base[href]")
    return page_base(url, base.attributes.get("href") if base is not None else None)


def _resolve(node: LexborNode, base: str) -> NormalisedUrl | None:
    found = resolve_http(node.attributes.get("href"), base, max_length=MAX_IMAGE_URL)
    url = parse_url(found) if found is not None else None
    return url if isinstance(url, NormalisedUrl) and url.route is None else None
