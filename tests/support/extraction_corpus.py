"""Real pages to measure extraction on, and how it is scored. For `./bench extract` and the tests of quality.

The pages live outside the repository, in ../shared/corpus (its README says where they come from).
"""

import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

SHARED: Final = Path(os.environ.get("KEPT_TEST_SHARED") or Path(__file__).parents[3] / "shared")
ARTICLES: Final = SHARED / "corpus" / "articles"
MOZILLA: Final = SHARED / "corpus" / "readability"
MOZILLA_URL: Final = "http://fakehost/test/page.html"

_TOKEN: Final = re.compile(r"\w+")
_SHINGLE: Final = 4


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """A page of the public article benchmark, with the text a person says is its article."""

    key: str
    url: str
    body: bytes
    true_text: str


@dataclass(frozen=True, slots=True)
class MozillaPage:
    """One of Readability's own test pages, with what Readability makes of it in a browser."""

    key: str
    body: bytes
    expected_html: str
    expected_title: str


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall averaged over pages, and the F1 of these averages: the public benchmark's way."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def load_articles() -> list[ArticlePage]:
    truth = json.loads((ARTICLES / "ground-truth.json").read_text())
    return [
        ArticlePage(key, entry["url"], unzip(ARTICLES / "html" / f"{key}.html.gz"), entry["articleBody"])
        for key, entry in sorted(truth.items())
    ]


def load_mozilla() -> list[MozillaPage]:
    return [load_mozilla_page(folder) for folder in sorted(MOZILLA.iterdir())]


def load_mozilla_page(folder: Path) -> MozillaPage:
    metadata: dict[str, Any] = json.loads(unzip(folder / "expected-metadata.json.gz"))
    return MozillaPage(
        key=folder.name,
        body=unzip(folder / "source.html.gz"),
        expected_html=unzip(folder / "expected.html.gz").decode(),
        expected_title=metadata["title"],
    )


def unzip(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


def score_articles(pairs: Iterable[tuple[str, str]]) -> Score:
    """Of pairs of true and found text."""
    rows = [score_page(true, found) for true, found in pairs]
    return Score(mean(row.precision for row in rows), mean(row.recall for row in rows))


def score_page(true: str, found: str) -> Score:
    """By runs of four tokens, each counted as often as it occurs."""
    expected, given = shingles(true), shingles(found)
    hits = (expected & given).total()
    return Score(hits / max(1, given.total()), hits / max(1, expected.total()))


def shingles(text: str) -> Counter[tuple[str, ...]]:
    tokens = _TOKEN.findall(text)
    starts = range(max(1, len(tokens) - _SHINGLE + 1))
    return Counter(tuple(tokens[start : start + _SHINGLE]) for start in starts if tokens)


def token_f1(true: str, found: str) -> float:
    expected, given = Counter(_TOKEN.findall(true)), Counter(_TOKEN.findall(found))
    return 2 * (expected & given).total() / max(1, expected.total() + given.total())


def text_of_html(html: str) -> str:
    """Every word of some HTML, apart from its neighbours."""
    tree = LexborHTMLParser(html)
    tree.strip_tags(["script", "style", "noscript", "iframe", "svg"])
    return tree.body.text(separator="\n") if tree.body else ""


def count_tags(html: str, tags: Iterable[str]) -> Counter[str]:
    tree = LexborHTMLParser(html)
    return Counter({tag: len(tree.css(tag)) for tag in tags})
