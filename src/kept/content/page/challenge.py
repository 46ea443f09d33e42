"""Whether a page is the page that was asked for, or something that stands in its way. Pure.

A page in the way (a robot check, a consent wall, a login, an error page) must never lend its title
or text to what was saved. All of them are short: a page with an article's worth of words is content
whatever it mentions, so that an article about robot checks is not taken for one.
"""

import re
from html import escape
from typing import Final
from urllib.parse import urlsplit

from kept.content.page import obstacle_signs as signs
from kept.content.page.description import PageKind, PageMetadata, PageVerdict
from kept.content.page.outline import PageOutline, read_outline
from kept.content.page.vendors import find_vendor, say_robot_check

# Robot checks of the large vendors have 20 to 120 words; the shortest articles we know have more than this.
_CHALLENGE_WORDS: Final = 220
# Consent walls explain themselves at length, error pages carry a site's whole menu.
_CONSENT_WORDS: Final = 900
_ERROR_WORDS: Final = 450
_LOGIN_WORDS: Final = 300
# An application's shell says at most its name, and that it needs JavaScript.
_SHELL_WORDS: Final = 60
# No page that stands in the way has so much to say: long articles do, and are spared the closer look, which takes
# longer than all else that is done for a card.
_ARTICLES_WORTH: Final = 8000
# Up to the next "<" only: a tag that never ends would be looked for from each place it could begin at.
_LONG_PARAGRAPH: Final = re.compile(r"<p(?:\s[^<>]*+)?+>([^<]{120,}+)")

_CONTENT: Final = PageVerdict(PageKind.CONTENT, "This is the page itself.")


def classify_page(
    html: str, *, url: str, metadata: PageMetadata | None = None, status: int | None = None, least_words: int = 0
) -> PageVerdict:
    """Judge the page at `url` (its final URL), answered with HTTP `status`.

    `least_words`: the number of words it has at least, where that is known.
    """
    if least_words > _CONSENT_WORDS or _has_an_articles_worth(html):
        return _CONTENT
    page = read_outline(html)
    if not page.is_whole:  # too long for anything that stands in the way; one site's head alone is a megabyte
        return _CONTENT
    metadata = metadata or PageMetadata()
    checks = (
        _find_challenge(page, html, has_failed=status is not None and status >= 500),
        _find_error_page(page),
        _find_consent_wall(page, url),
        _find_login_wall(page, url, status),
        _find_soft_404(page, metadata),
        _find_javascript_shell(page),
    )
    return next(filter(None, checks), _CONTENT)


def _has_an_articles_worth(html: str) -> bool:
    total = 0
    for paragraph in _LONG_PARAGRAPH.finditer(html):
        total += paragraph.end(1) - paragraph.start(1)
        if total >= _ARTICLES_WORTH:
            return True
    return False


def says_error(title: str) -> bool:
    """Return whether a page of which only the title is known is an error page."""
    kind = classify_page(f"<title>{escape(title)}</title>", url="").kind
    return kind in {PageKind.SOFT_404, PageKind.ERROR_PAGE}


def _find_challenge(page: PageOutline, html: str, *, has_failed: bool) -> PageVerdict | None:
    """Find a robot check. `has_failed`: the status is an error, so that "please wait" or a vendor's name is no
    proof."""
    if page.words > _CHALLENGE_WORDS:
        return None
    vendor, asks = find_vendor(html), signs.asks_for_a_human(page)
    is_proof = vendor is not None and vendor.is_proof and not (has_failed and vendor.on_errors)
    waits = signs.asks_to_wait(page)
    if vendor is not None and (is_proof or asks or (waits and not vendor.on_errors)):
        return PageVerdict(PageKind.CHALLENGE, str(say_robot_check(vendor.name)))
    if asks or (waits and not has_failed):
        return PageVerdict(PageKind.CHALLENGE, "The site showed a robot check instead of the page.")
    return None


def _find_error_page(page: PageOutline) -> PageVerdict | None:
    if page.words > _CHALLENGE_WORDS or not signs.denies_access(page):
        return None
    return PageVerdict(PageKind.ERROR_PAGE, "The site showed an error instead of the page.")


def _find_consent_wall(page: PageOutline, url: str) -> PageVerdict | None:
    parts = urlsplit(url)
    by_address = signs.CONSENT_ADDRESS.search(f"{parts.hostname or ''}{parts.path}") is not None
    by_heading = any(map(signs.CONSENT_HEADING.fullmatch, page.headings))
    is_asking = page.has_form and page.words <= _CONSENT_WORDS
    if is_asking and (by_address or (by_heading and page.paragraph_words <= _CHALLENGE_WORDS)):
        return PageVerdict(PageKind.CONSENT_WALL, "The site wanted consent to cookies before it showed the page.")
    return None


def _find_login_wall(page: PageOutline, url: str, status: int | None) -> PageVerdict | None:
    if page.words > _LOGIN_WORDS:
        return None
    by_address = signs.LOGIN_ADDRESS.search(urlsplit(url).path) is not None
    by_heading = any(map(signs.LOGIN_HEADING.fullmatch, page.headings))
    asks = page.has_password or status == 401
    if (asks and (by_address or by_heading)) or (by_address and by_heading) or (status == 401 and page.has_password):
        return PageVerdict(PageKind.LOGIN_WALL, "The site asked to sign in before it would show the page.")
    return None


def _find_soft_404(page: PageOutline, metadata: PageMetadata) -> PageVerdict | None:
    if page.words > _ERROR_WORDS or metadata.published_at is not None:
        return None
    if any(map(signs.NOT_FOUND_HEADING.fullmatch, page.headings)):
        return PageVerdict(PageKind.SOFT_404, "The site says that there is no such page.")
    return None


def _find_javascript_shell(page: PageOutline) -> PageVerdict | None:
    if page.words > _SHELL_WORDS:
        return None
    if signs.NEEDS_JAVASCRIPT.search(page.noscript_text) or signs.NEEDS_JAVASCRIPT.search(page.text):
        return PageVerdict(PageKind.JAVASCRIPT_REQUIRED, "The page says that it needs JavaScript.")
    if page.has_application_root and page.scripts > 0:
        return PageVerdict(
            PageKind.JAVASCRIPT_REQUIRED, "The page is an empty frame that JavaScript fills in a browser."
        )
    return None
