"""What a page says of itself, for its card: title, excerpt, image and the rest. Pure.

Only a page's first megabyte is read, and of that only as much as is cheap to parse whatever it holds.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from kept.content.page.bounds import bounded_prefix
from kept.content.page.bylines import choose_byline
from kept.content.page.dates import parse_page_date
from kept.content.page.description import MAX_EXCERPT, MAX_NAME, MAX_TITLE, PageMetadata
from kept.content.page.excerpt import find_meaningful_paragraph
from kept.content.page.head import PageHead, best_icon, read_head
from kept.content.page.json_ld import LinkedData, find_json_ld, read_json_ld
from kept.content.page.links import MAX_IMAGE_URL, page_base, resolve_http
from kept.content.page.site_names import as_in_heading, site_in_title, without_site_name
from kept.content.page.text_cleaning import clean_line, inline_text, settle_entities, shorten

MAX_PARSED: Final = 1024 * 1024

_BODY: Final = re.compile(r"<[bB][oO][dD][yY][\s>]")
_HEADING: Final = re.compile(r"<[hH]1[\s>]")
_MOST_HEADINGS: Final = 5
_LONGEST_HEADING: Final = 2_000
_OPENGRAPH_KEYS: Final = ("title", "description", "image", "type", "url")
_TWITTER_KEYS: Final = ("card", "title", "description", "image")
_IMAGE_KEYS: Final = ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src")
_PUBLISHED_KEYS: Final = ("article:published_time", "og:published_time", "datepublished", "parsely-pub-date")
_LOOSER_PUBLISHED_KEYS: Final = (
    "dc.date.issued",
    "dcterms.created",
    "dc.date",
    "sailthru.date",
    "pubdate",
    "date",
)
_BYLINE_KEYS: Final = (
    "author",
    "article:author",
    "parsely-author",
    "dc.creator",
    "dcterms.creator",
    "sailthru.author",
)


def read_metadata(html: str, url: str) -> PageMetadata:
    """Read the page at `url` (its final URL). Never raises; what is not there is None."""
    found = _read_head_or_all(html[:MAX_PARSED], url)
    title = as_in_heading(found.title, _headings(html[:MAX_PARSED]))
    return found if title == found.title else replace(found, title=title)


def _read_head_or_all(html: str, url: str) -> PageMetadata:
    linked = read_json_ld(find_json_ld(html))
    # The head alone answers for most pages, in a third of the time; the body is read when it may know more.
    head_end = _BODY.search(html)
    if head_end is not None:
        found = _read(html[: head_end.start()], url, linked, is_whole=False)
        if not _may_gain(found, html, head_end.start()):
            return found
    return _read(html, url, linked, is_whole=True)


def _may_gain(metadata: PageMetadata, html: str, body_start: int) -> bool:
    """Return whether the body could hold what the head lacks."""
    if metadata.title is None or metadata.excerpt is None:
        return True
    wanted = {
        ":image": metadata.preview_image_url,
        "canonical": metadata.declared_canonical,
        "<time": metadata.published_at,
        "datePublished": metadata.published_at,
    }
    return any(value is None and html.find(mark, body_start) >= 0 for mark, value in wanted.items())


def _read(html: str, url: str, linked: LinkedData, *, is_whole: bool) -> PageMetadata:
    # It is parsed as with scripting on: a tracking pixel in a <noscript> would otherwise end the head too early.
    # It is encoded here, once and forgivingly: a lone surrogate would otherwise be an error.
    page = LexborHTMLParser(bounded_prefix(html).encode("utf-8", "replace"), scripting=True)
    head = read_head(page)
    base = page_base(url, head.base_href)
    site_name = head.first("og:site_name") or linked.site_name or head.first("application-name") or site_in_title(head)
    site_name = site_name.removeprefix("@")  # the name of its account
    return PageMetadata(
        title=without_site_name(_title(head, page, linked if is_whole else None), site_name),
        excerpt=_excerpt(head, page, linked if is_whole else None),
        preview_image_url=_image(head, base),
        byline=_byline(head, linked, site_name),
        site_name=_capped(site_name, MAX_NAME),
        lang=head.lang,
        published_at=_published(head, linked),
        declared_canonical=resolve_http(head.canonical_href, base, max_length=MAX_IMAGE_URL),
        favicon_url=best_icon(head.icons, base) or resolve_http("/favicon.ico", url),
        base_url=base,
        opengraph=_selection(head, "og:", _OPENGRAPH_KEYS),
        twitter=_selection(head, "twitter:", _TWITTER_KEYS),
    )


def _title(head: PageHead, page: LexborHTMLParser, linked: LinkedData | None) -> str | None:
    """Return the title; without `linked` only from the head, since the body's heading precedes the last resorts."""
    found = head.first("og:title") or head.title
    if not found and linked is not None:
        found = _first_heading(page) or head.first("twitter:title") or linked.headline or ""
    headline = linked.headline if linked is not None else None
    others = (head.title, head.first("twitter:title"), headline or "")
    return _capped(settle_entities(found, others), MAX_TITLE)


def _headings(html: str) -> Iterator[str]:
    """Yield the headings that are no link: a link is more often the site's name than the article's."""
    for begin in islice(_HEADING.finditer(html), _MOST_HEADINGS):
        end = html.find("</", begin.end(), begin.end() + _LONGEST_HEADING)
        while end >= 0 and html[end + 2 : end + 4].lower() != "h1":
            end = html.find("</", end + 2, begin.end() + _LONGEST_HEADING)
        heading = LexborHTMLParser(html[begin.start() : end].encode("utf-8", "replace")) if end >= 0 else None
        if heading is not None and heading.body is not None and heading.css_first("a") is None:
            yield clean_line(inline_text(heading.body))


def _first_heading(page: LexborHTMLParser) -> str:
    return next(filter(None, (clean_line(inline_text(node)) for node in page.css("h1")[:20])), "")


def _excerpt(head: PageHead, page: LexborHTMLParser, linked: LinkedData | None) -> str | None:
    found = head.first("og:description", "description")
    if not found and linked is not None:
        paragraph = find_meaningful_paragraph(page)
        found = paragraph or head.first("twitter:description") or linked.description or ""
    said = linked.description if linked is not None else None
    others = (head.first("description"), head.first("twitter:description"), said or "")
    return _capped(settle_entities(found, others), MAX_EXCERPT)


def _image(head: PageHead, base: str) -> str | None:
    """Return the first image the page names that could be fetched."""
    # Escaped twice by some sites; no URL has "&amp;" in it on purpose.
    named = (value.replace("&amp;", "&") for key in _IMAGE_KEYS for value in head.all(key))
    return next(filter(None, (resolve_http(value, base, max_length=MAX_IMAGE_URL) for value in named)), None)


def _byline(head: PageHead, linked: LinkedData, site_name: str) -> str | None:
    """Return who wrote it: a person before the site, which many pages name instead."""
    named = (clean_line(value) for key in _BYLINE_KEYS for value in head.all(key))
    # article:author is a URL on many sites; that is no name.
    own = [name for name in named if name and "://" not in name and not name.startswith("@")]
    return _capped(choose_byline([linked.people, *own, linked.byline], site_name), MAX_NAME)


def _published(head: PageHead, linked: LinkedData) -> datetime | None:
    written = [
        *(value for key in _PUBLISHED_KEYS for value in head.all(key)),
        linked.published,
        *(value for key in _LOOSER_PUBLISHED_KEYS for value in head.all(key)),
        *head.times,
    ]
    return next(filter(None, map(parse_page_date, written)), None)


def _selection(head: PageHead, prefix: str, keys: tuple[str, ...]) -> dict[str, str]:
    found = {key: shorten(head.first(prefix + key), MAX_IMAGE_URL) for key in keys}
    return {key: value for key, value in found.items() if value}


def _capped(text: str | None, limit: int) -> str | None:
    return shorten(text, limit) if text else None
