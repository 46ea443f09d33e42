"""Notes are plain text; the URLs in them become links. Pure."""

import re
from typing import Final

from markupsafe import Markup, escape

_URL: Final = re.compile(r"https?://[\w\[][^\s<>\"]*+")
# What ends a sentence or a bracket is not part of the URL before it.
_AFTER_URL: Final = ".,;:!?)]}'’”»。，、！？）」"
_LINK: Final = Markup('<a href="{0}" rel="noopener noreferrer" referrerpolicy="no-referrer" target="_blank">{0}</a>')


def link_urls(text: str) -> Markup:
    """`text`, escaped, with a link for each URL in it."""
    parts: list[Markup] = []
    end = 0
    for match in _URL.finditer(text):
        url = match[0].rstrip(_AFTER_URL)
        parts += [escape(text[end : match.start()]), _LINK.format(url)]
        end = match.start() + len(url)
    return Markup("").join([*parts, escape(text[end:])])
