"""URLs in plain text: a note, or what an app shares. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

# Chinese and Japanese sentences have no space after a URL.
URL_IN_TEXT: Final = re.compile(r"https?://[\w\[][^\s<>\"“”«»，。、；：！？（）《》「」『』【】،؛؟।\u200b\u2060]*+")
SENTENCE_ENDS: Final = ".,;:!?'’*…`"
BRACKETS: Final = {")": "(", "]": "[", "}": "{"}


class UrlInText(NamedTuple):
    start: int
    url: str


def list_urls(text: str) -> Iterator[UrlInText]:
    """Each URL and where it begins."""
    for found in URL_IN_TEXT.finditer(text):
        yield UrlInText(found.start(), trim_end(found[0]))


def trim_end(url: str) -> str:
    """Without what ends the sentence it stands in; a bracket that the URL itself opened stays."""
    left, end = Counter(url), len(url)
    while (last := url[end - 1]) in SENTENCE_ENDS or (last in BRACKETS and left[BRACKETS[last]] < left[last]):
        left[last] -= 1
        end -= 1
    return url[:end]
