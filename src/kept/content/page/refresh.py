"""The URL to which a page leads by `<meta http-equiv=refresh>`. Pure, and linear in the page's first kilobytes.

It runs wherever a page is fetched, in the API's event loop too: it parses no tree, goes over its input once, and stops
at the first tag or comment that does not end.
"""

import re
from typing import Final

from kept.content.markup import decode_entities

# Pages that only lead on are small, and the refresh is in their head. The worst case takes some ten milliseconds.
HEAD_BYTES: Final = 16 * 1024
MAX_SECONDS: Final = 5
# A URL has 2,048 characters at most.
MAX_CONTENT_CHARS: Final = 3_000

# The content of these is text. That of `noscript` is for browsers without scripts, which ours are not.
_TEXT_ONLY: Final = frozenset(
    {"script", "style", "title", "textarea", "noscript", "template", "iframe", "xmp", "noembed", "noframes"}
)
_VALUE: Final = r"""(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+))"""
_ATTRIBUTE: Final = re.compile(rf"[\s/]*+([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+{_VALUE})?+")
_TAG: Final = re.compile(r"<(?:!--|([a-zA-Z][^\s/>]*+))")
_HINT: Final = re.compile(rb"http-equiv\s*+=[^>a-z]*+refresh", re.IGNORECASE)
_TAG_END: Final = re.compile(r"[\s/]*+>")
_REFRESH: Final = re.compile(
    r"""\s*+(?=[0-9])0*+([0-9]{0,4})(\.[0-9.]*+)?\s*+[;,\s]\s*+(?:url\s*+=\s*+)?+(?:'([^']++)|"([^"]++)|([^'"\s].*+))""",
    re.IGNORECASE | re.DOTALL,
)


def find_refresh(body: bytes) -> str | None:
    """Return the reference a page leads to within five seconds, as it is written; None if it stays."""
    head = body[:HEAD_BYTES]
    if not _HINT.search(head):  # most pages: their tags need not be gone through
        return None
    html = head.decode("utf-8", "surrogateescape")
    lowered = head.lower().decode("utf-8", "surrogateescape")  # only ASCII letters of bytes change, and no length
    position: int | None = 0
    while position is not None and (tag := _TAG.search(html, position)) is not None:
        position, attributes = _read_tag(html, lowered, tag)
        content = attributes.get("content")
        if content is not None and attributes.get("http-equiv", "").strip().lower() == "refresh":
            target = parse_refresh(decode_entities(content[:MAX_CONTENT_CHARS]))
            if target is not None:
                return target
    return None


def parse_refresh(content: str) -> str | None:
    """Parse a `content` attribute, or an HTTP header called Refresh."""
    match = _REFRESH.match(content[:MAX_CONTENT_CHARS])
    if match is None:
        return None
    seconds = int(match[1] or 0) + (1 if (match[2] or "").strip(".0") else 0)
    target = (match[3] or match[4] or match[5]).strip()
    return target if seconds <= MAX_SECONDS and target else None


def _read_tag(html: str, lowered: str, tag: re.Match[str]) -> tuple[int | None, dict[str, str]]:
    """Return where a tag, with the text of a text-only one, or a comment ends, or None; and a `meta`'s attributes."""
    if tag[1] is None:
        return _after(lowered, "-->", tag.end() - len("--")), {}
    attributes: dict[str, str] = {}
    position = tag.end()
    while (end := _TAG_END.match(html, position)) is None:
        attribute = _ATTRIBUTE.match(html, position)
        if attribute is None:
            return None, {}
        attributes.setdefault(attribute[1].lower(), attribute[2] or attribute[3] or attribute[4] or "")
        position = attribute.end()
    name = tag[1].lower()
    if name in _TEXT_ONLY:
        return _after(lowered, f"</{name}", end.end()), {}
    return end.end(), attributes if name == "meta" else {}


def _after(html: str, mark: str, position: int) -> int | None:
    found = html.find(mark, position)
    return found + len(mark) if found >= 0 else None
