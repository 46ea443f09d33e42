"""An article's markup made safe for good: the only maker of `SafeHtml`. Pure and deterministic.

Three locks, each of them enough for what we know of. The article is written anew in a small language of our
own (`rewrite`, on lexbor's tree); nh3, which reads it with another parser and another list, must find
nothing to change; `SafeHtml.admit` checks each tag and attribute by a pattern. Since two parsers agree on
the very bytes, there is no reading left in which they could turn into something else later.
"""

import re
from dataclasses import dataclass
from functools import partial
from typing import Final
from urllib.parse import unquote
from uuid import UUID, uuid5

import nh3
from selectolax.lexbor import LexborNode

from kept.content.article.article import ARTICLE_TOO_LONG, MAX_ARTICLE_CHARACTERS, ImageRef
from kept.content.article.rewrite import UrlRules, rewrite, stands_in_a_line
from kept.content.article.safe_html import INLINE, KEPT_TAGS, MATH_TAGS, PLACE, PLACE_PREFIX, SafeHtml
from kept.content.page.bounds import NESTED_TOO_DEEP, find_excess
from kept.content.page.decode import clean_unicode
from kept.content.page.links import MAX_IMAGE_URL, clean_url, resolve_http, resolve_link

__all__ = ["SafeHtml", "SanitiseFailed", "SanitisedArticle", "sanitise_article"]

# Markup that browsers and parsers must repair settles in the second round; the fourth has never been needed.
_MAX_ROUNDS: Final = 4

_CLEANER: Final = nh3.Cleaner(
    tags=set(KEPT_TAGS | MATH_TAGS),
    clean_content_tags={"script", "style"},
    attributes={
        "*": {"lang", "dir", "id"},
        "a": {"href", "target", "rel", "referrerpolicy"},
        "img": {"src", "alt", "title", "width", "height"},
        "th": {"colspan", "rowspan", "scope"},
        "td": {"colspan", "rowspan", "scope"},
        "ol": {"start", "reversed"},
        "li": {"value"},
        "time": {"datetime"},
        "del": {"cite", "datetime"},
        "ins": {"cite", "datetime"},
        "blockquote": {"cite"},
        "q": {"cite"},
        "abbr": {"title"},
        "math": {"display", "alttext"},
        "mi": {"mathvariant"},
        "mo": {"stretchy", "movablelimits", "form"},
        "mover": {"accent"},
        "munder": {"accentunder"},
        "mfrac": {"linethickness"},
        "mspace": {"width"},
        "mstyle": {"displaystyle"},
        "mtd": {"columnspan", "rowspan"},
    },
    allowed_classes={"img": {INLINE}},
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
    strip_comments=True,
)


@dataclass(frozen=True, slots=True)
class SanitisedArticle:
    """Safe markup, and its images in the order in which they first appear."""

    html: SafeHtml
    images: tuple[ImageRef, ...]


@dataclass(frozen=True, slots=True)
class SanitiseFailed:
    """The markup could not be made safe within bounds; the reason is for people."""

    reason: str


def sanitise_article(
    html: str, *, base_url: str, canonical_url: str, media_id: UUID, is_copy: bool = False
) -> SanitisedArticle | SanitiseFailed:
    """Make an article's markup safe.

    `base_url` is what the page's relative URLs are relative to (its `<base>`, else the final URL);
    `canonical_url` is the page itself, where links lead to places in it that are not part of the article.
    `is_copy`: it has been made safe before, and says itself which images stand in a line.
    """
    if len(html) > MAX_ARTICLE_CHARACTERS:
        return SanitiseFailed(str(ARTICLE_TOO_LONG))
    html = clean_unicode(html)
    excess = find_excess(html)
    if excess is not None:
        return SanitiseFailed(excess)
    images = _Images(media_id, base_url)
    link = partial(_keep_link, base_url=base_url, canonical_url=canonical_url)
    place = partial(_find_place, base_url=base_url, pages=frozenset({base_url, canonical_url}))
    is_inline = _says_it_is_inline if is_copy else stands_in_a_line
    rules = UrlRules(base_url, link, images.take, place, _write_place, is_inline)
    written = rewrite(html, rules)
    if written is None:
        return SanitiseFailed(str(NESTED_TOO_DEEP))
    if len(written) > MAX_ARTICLE_CHARACTERS:  # escaping may make four of one
        return SanitiseFailed(str(ARTICLE_TOO_LONG))
    settled = _settle(written, base_url)
    safe = SafeHtml.admit(settled) if settled is not None else None
    if safe is None:
        return SanitiseFailed("Parsers do not agree on what the article's markup means.")
    return SanitisedArticle(safe, images.used_in(settled or ""))


def _settle(written: str, base_url: str) -> str | None:
    """The markup once nh3 and our own reading both leave it exactly as it is."""
    own_words = UrlRules(base_url, _own_link, _own_image, _own_place, str, _says_it_is_inline)
    for _ in range(_MAX_ROUNDS):
        cleaned = _CLEANER.clean(written)
        if cleaned == written and not _has_dead_links(written):
            return written
        again = rewrite(cleaned, own_words)
        if again is None:
            return None
        written = again
    return None


def _keep_link(href: str, *, base_url: str, canonical_url: str) -> str | None:
    url = clean_url(href)
    if url.startswith("#"):
        # "#" and "#top" lead nowhere in particular; a footnote is still to be found on the page itself.
        return None if url.lower() in ("#", "#top") else resolve_http(url, canonical_url)
    return resolve_link(url, base_url)


def _own_link(href: str) -> str | None:
    """In a later round every URL is one we wrote, or the parser has made it up."""
    return href if href.startswith(("https://", "http://", "mailto:")) else None


_OWN_PLACE: Final = re.compile(rf"#({PLACE})")
_OWN_PLACES: Final = re.compile(rf' id="({PLACE})"')
_OWN_PLACE_LINKS: Final = re.compile(rf'<a href="#({PLACE})"')
_MAX_PLACE: Final = 60
_UNUSUAL: Final = re.compile(r"[^A-Za-z0-9_-]")


def _find_place(href: str, *, base_url: str, pages: frozenset[str]) -> str | None:
    url = clean_url(href)
    if not url.startswith("#"):
        resolved = resolve_http(url, base_url) if "#" in url else None
        if resolved is None or resolved.partition("#")[0] not in pages:
            return None
    name = unquote(url.partition("#")[2])
    return _write_place(name) if name and name.lower() != "top" else None


def _write_place(name: str) -> str:
    """Letters that may stand in an id of any format. An id of an article that was sanitised before stays."""
    if _OWN_PLACE.fullmatch(f"#{name}"):
        return name
    return PLACE_PREFIX + _UNUSUAL.sub(lambda found: f".{ord(found[0]):x}", name[:_MAX_PLACE])[:200]


def _own_place(href: str) -> str | None:
    match = _OWN_PLACE.fullmatch(href)
    return match[1] if match else None


def _says_it_is_inline(image: LexborNode) -> bool:
    return image.attributes.get("class") == INLINE


def _has_dead_links(html: str) -> bool:
    """A place may be lost where no element of ours can carry its id; links to it go too."""
    links = set(_OWN_PLACE_LINKS.findall(html))
    return bool(links) and not links <= set(_OWN_PLACES.findall(html))


_OWN_IMAGE: Final = re.compile(r"/api/images/[0-9a-f-]{36}")
_OWN_SRC: Final = re.compile(rf'<img src="({_OWN_IMAGE.pattern})"')


def _own_image(src: str) -> str | None:
    return src if _OWN_IMAGE.fullmatch(src) else None


class _Images:
    """The images met in an article; the same image twice is one."""

    def __init__(self, media_id: UUID, base_url: str) -> None:
        self._media_id = media_id
        self._base_url = base_url
        self._found: dict[str, ImageRef] = {}

    def take(self, src: str) -> str | None:
        """The URL under which we shall show the image at `src`, or None if there is none to be had."""
        origin = resolve_http(src, self._base_url, max_length=MAX_IMAGE_URL)
        if origin is None:
            return None
        shown = f"/api/images/{uuid5(self._media_id, origin)}"
        self._found.setdefault(shown, ImageRef(UUID(shown[-36:]), origin))
        return shown

    def used_in(self, html: str) -> tuple[ImageRef, ...]:
        shown = dict.fromkeys(_OWN_SRC.findall(html))
        return tuple(self._found[src] for src in shown if src in self._found)
