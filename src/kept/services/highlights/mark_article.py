"""An article with somebody's highlights marked in it, for pages and the API. The last ones are kept in memory.

Whoever marks an article asks for it again after each highlight, and with a thousand of them that takes longer than
everything else a page needs. What is kept goes by the article and all of its marks as they stand in the database: what
another process changed there is another key.
"""

import sys
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from typing import Final
from uuid import UUID

from kept.content.article.marking import mark_highlights
from kept.content.article.safe_html import SafeHtml
from kept.storage.highlights import parse_marks

MOST_BYTES: Final = 32_000_000


class _KeptArticles:
    """The last ones that were asked for, of so many bytes together."""

    def __init__(self) -> None:
        self._articles: OrderedDict[bytes, SafeHtml] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def find(self, key: bytes) -> SafeHtml | None:
        with self._lock:
            found = self._articles.get(key)
            if found is not None:
                self._articles.move_to_end(key)
            return found

    def keep(self, key: bytes, marked: SafeHtml) -> None:
        with self._lock:
            if key not in self._articles:
                self._articles[key] = marked
                self._bytes += sys.getsizeof(str(marked))
            while self._bytes > MOST_BYTES:
                self._bytes -= sys.getsizeof(str(self._articles.popitem(last=False)[1]))


_KEPT: Final = _KeptArticles()


def mark_article(fragment_id: UUID | None, marks: str, read_html: Callable[[], SafeHtml]) -> SafeHtml:
    """`marks` as `storage.highlights` describes them; those that have no place in this copy are not among them. The
    article is read only if it has to be: a fragment never changes."""
    if not marks:
        return read_html()
    key = blake2b(f"{fragment_id} {marks}".encode(), digest_size=32).digest()
    marked = _KEPT.find(key)
    if marked is None:
        marked = mark_highlights(read_html(), parse_marks(marks))
        _KEPT.keep(key, marked)
    return marked
