"""Notes are plain text; the URLs in them become links. Pure."""

from typing import Final

from markupsafe import Markup, escape

from kept.urls.given import list_urls

_LINK: Final = Markup('<a href="{0}" rel="noopener noreferrer" referrerpolicy="no-referrer" target="_blank">{0}</a>')


def link_urls(text: str) -> Markup:
    """`text`, escaped, with a link for each URL in it."""
    parts: list[Markup] = []
    end = 0
    for start, url in list_urls(text):
        parts += [escape(text[end:start]), _LINK.format(url)]
        end = start + len(url)
    return Markup("").join([*parts, escape(text[end:])])
