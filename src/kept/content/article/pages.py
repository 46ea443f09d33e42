"""Pages of a document: each is a `<section>` of its article, and there are no others."""

from typing import Final

from kept.content.article.canonical import walk_text
from kept.content.article.safe_html import SafeHtml
from kept.domain.text import normalise

_OPENS: Final = "<section"


def find_page_starts(html: SafeHtml) -> tuple[int, ...]:
    """Where each page begins in the canonical text; an empty page begins where the next one does."""
    markup, starts, length = str(html), list[int](), 0
    opens_at = markup.find(_OPENS)
    for piece in walk_text(html):
        length += len(piece.before) if length else 0
        while 0 <= opens_at < piece.start:
            starts.append(length)
            opens_at = markup.find(_OPENS, opens_at + 1)
        length += len(normalise(piece.text, "NFC"))
    while opens_at >= 0:
        starts.append(length)
        opens_at = markup.find(_OPENS, opens_at + 1)
    return tuple(starts)
