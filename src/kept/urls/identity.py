"""Whether the URL a fetch ended at is still the page that was requested, so that it may name the media."""

import hashlib
import re
from typing import Final
from urllib.parse import unquote_plus

from kept.urls.url import NormalisedUrl

HOME: Final = re.compile(r"/(?:(?:index|home|default)(?:\.\w{1,5})?/?)?", re.IGNORECASE)
# `/en/` and `/de-at` are front pages as much as `/`.
LOCALISED_HOME: Final = re.compile(r"/[a-z]{2}(?:[-_][a-z]{2})?/?", re.IGNORECASE)
# Whole path segments and whole host labels: `/how-to-login` is an article, `/login` is a wall.
WALL_SEGMENT: Final = re.compile(
    r"""(?:
        (?:wp-)?log[-_]?in | sign[-_]?(?:in|up|on) | register | sso | saml2? | oauth2? | auth | authorize
      | (?:cookie|privacy|gdpr|collect)?[-_]?consent | gdpr | cookiewall | cookie[-_]?wall
      | cdn-cgi | captcha | recaptcha | challenge | are-you-(?:a-)?(?:human|robot)
      | checkpoint | verify | blocked
      | 404 | not[-_]?found | page[-_]?not[-_]?found
    )(?:\.\w{2,5})?""",
    re.IGNORECASE | re.VERBOSE,
)
WALL_HOST_LABEL: Final = re.compile(r"(?:login|signin|accounts?|auth|sso|idp|consent|captcha|challenge)")


def keeps_identity(submitted: NormalisedUrl, final: NormalisedUrl) -> bool:
    """Return False for a login, consent or challenge page, and for the front page when a deeper page was saved.

    A wrong False costs a duplicate, a wrong True puts strangers' pages under one URL; so this is strict.
    """
    if submitted == final:
        return True
    if is_front_door(final) and not is_front_door(submitted):
        return False
    return not is_wall(final) or is_wall(submitted)


def leads_home(submitted: NormalisedUrl, final: NormalisedUrl) -> bool:
    """Return whether a site redirected a deeper page to its front page, because it no longer has that page.

    A short link that leads to the front page of another site means that page; a route of the front page (`/#/a`) is a
    page of its own.
    """
    is_home = is_front_door(final) and final.route is None
    return is_home and not is_front_door(submitted) and is_same_site(submitted, final)


def is_same_site(one: NormalisedUrl, other: NormalisedUrl) -> bool:
    """Return whether the hosts are the same except for `www.`, or one is below the other."""
    hosts = one.host.removeprefix("www."), other.host.removeprefix("www.")
    if one.address is not None or other.address is not None:
        return one.host == other.host
    return hosts[0] == hosts[1] or hosts[0].endswith(f".{hosts[1]}") or hosts[1].endswith(f".{hosts[0]}")


def is_front_door(url: NormalisedUrl) -> bool:
    return bool(HOME.fullmatch(url.path)) or (url.query is None and bool(LOCALISED_HOME.fullmatch(url.path)))


def is_wall(url: NormalisedUrl) -> bool:
    labels = [] if url.address is not None else url.host.split(".")[:-2]
    return any(WALL_SEGMENT.fullmatch(segment) for segment in url.path.split("/")) or any(
        WALL_HOST_LABEL.fullmatch(label) for label in labels
    )


def hash_url(url: str) -> str:
    """Return the hash by which apps of other programs ask whether a URL is saved."""
    return hashlib.sha1(url.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def hash_spellings(*urls: str | None) -> set[str]:
    """Hash each URL as it is, as some apps do, and with its escapes undone, as wallabag's server does."""
    return {hash_url(text) for url in urls if url for text in (url, undo_escapes(url))}


def undo_escapes(url: str) -> str:
    """Decode like PHP's `urldecode`: a plus is a space, too."""
    return unquote_plus(url, errors="replace")
