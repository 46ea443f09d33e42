"""Pages to measure extraction on, and how it is scored. For the benches and the tests of quality.

Real pages of the public corpora are used where they are: in the folder that KEPT_CORPUS names, or in ../shared/corpus
beside the repository (docs/benchmarks.md says how they get there). Elsewhere the repository's own pages take their
place, tests/corpus.
"""

import gzip
import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

OWN: Final = Path(__file__).parents[2] / "corpus"


def find_public() -> Path:
    """Where the public corpora are, or would be. KEPT_TEST_SHARED is an older name for the folder above."""
    if chosen := os.environ.get("KEPT_CORPUS"):
        return Path(chosen)
    return Path(os.environ.get("KEPT_TEST_SHARED") or Path(__file__).parents[4] / "shared") / "corpus"


PUBLIC: Final = find_public()
ARTICLES: Final = PUBLIC / "articles"
MOZILLA: Final = PUBLIC / "readability"
# As many as the public corpora have, and our own.
ARTICLES_EXPECTED: Final = 89 if ARTICLES.is_dir() else 36
MOZILLA_EXPECTED: Final = 64 if MOZILLA.is_dir() else 0
MOZILLA_IS_ABSENT: Final = f"NOT RUN: Mozilla's pages are not in {MOZILLA} (docs/benchmarks.md: public corpora)"
MOZILLA_URL: Final = "http://fakehost/test/page.html"

_TOKEN: Final = re.compile(r"\w+")
_SHINGLE: Final = 4


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """A page of the public article benchmark or of our own, with the text a person says is its article."""

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


@dataclass(frozen=True, slots=True)
class OwnPage:
    """A page of tests/corpus, which was written to give trouble of one kind."""

    key: str
    url: str
    body: bytes
    trouble: str
    kind: str
    """Of `PageKind`: whether it is the page itself, or what stands in its way."""
    true_text: str | None
    """None if there is no article in it."""
    absent: tuple[str, ...]
    """What is on the page and not of the article."""
    tags: dict[str, int]
    """How many of which tags the article has."""


def load_own() -> list[OwnPage]:
    listed: dict[str, dict[str, Any]] = json.loads((OWN / "corpus.json").read_text("utf-8"))
    return [load_own_page(key, entry) for key, entry in listed.items()]


def load_own_page(key: str, entry: dict[str, Any]) -> OwnPage:
    text = OWN / "pages" / f"{key}.txt"
    return OwnPage(
        key=key,
        url=entry["url"],
        body=(OWN / "pages" / f"{key}.html").read_bytes(),
        trouble=entry["trouble"],
        kind=entry["kind"],
        true_text=text.read_text("utf-8") if text.is_file() else None,
        absent=tuple(entry.get("absent", ())),
        tags=entry.get("tags", {}),
    )


def load_articles() -> list[ArticlePage]:
    """The public benchmark's, or our own where that is absent."""
    if not ARTICLES.is_dir():
        return [ArticlePage(page.key, page.url, page.body, page.true_text) for page in load_own() if page.true_text]
    truth = json.loads((ARTICLES / "ground-truth.json").read_text())
    return [
        ArticlePage(key, entry["url"], unzip(ARTICLES / "html" / f"{key}.html.gz"), entry["articleBody"])
        for key, entry in sorted(truth.items())
    ]


def load_mozilla() -> list[MozillaPage]:
    if not MOZILLA.is_dir():
        return []
    return [load_mozilla_page(folder) for folder in sorted(MOZILLA.iterdir())]


def load_mozilla_page(folder: Path) -> MozillaPage:
    metadata: dict[str, Any] = json.loads(unzip(folder / "expected-metadata.json.gz"))
    return MozillaPage(
        key=folder.name,
        body=unzip(folder / "source.html.gz"),
        expected_html=unzip(folder / "expected.html.gz").decode(),
        expected_title=metadata["title"],
    )


def describe_corpus() -> str:
    """For whoever reads a figure: what it was measured on."""
    where = PUBLIC if ARTICLES.is_dir() else "tests/corpus; docs/benchmarks.md tells how to get the public corpora"
    return f"measured on {len(load_articles())} articles and {len(load_mozilla())} of Mozilla's pages ({where})"


def unzip(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


def score_articles(pairs: Iterable[tuple[str, str]]) -> Score:
    """Of pairs of true and found text."""
    return _average([score_page(true, found) for true, found in pairs])


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def estimate_interval(pairs: list[tuple[str, str]], *, samples: int = 1000) -> Interval:
    """Between which values 95 % of the F1 are, if as many pages are drawn from these anew: the bootstrap."""
    rows = [score_page(true, found) for true, found in pairs]
    draw = random.Random(1)
    drawn = sorted(_average(draw.choices(rows, k=len(rows))).f1 for _ in range(samples))
    return Interval(drawn[int(0.025 * samples)], drawn[int(0.975 * samples)])


def _average(rows: list[Score]) -> Score:
    return Score(mean(row.precision for row in rows), mean(row.recall for row in rows))


def score_page(true: str, found: str) -> Score:
    """By runs of four tokens, each counted as often as it occurs."""
    expected, given = shingles(true), shingles(found)
    hits = (expected & given).total()
    return Score(hits / max(1, given.total()), hits / max(1, expected.total()))


def shingles(text: str) -> Counter[tuple[str, ...]]:
    tokens = list_tokens(text)
    starts = range(max(1, len(tokens) - _SHINGLE + 1))
    return Counter(tuple(tokens[start : start + _SHINGLE]) for start in starts if tokens)


def list_tokens(text: str) -> list[str]:
    """A soft hyphen is seen only where a line ends, and parts no word."""
    return _TOKEN.findall(text.replace("\u00ad", ""))


def token_f1(true: str, found: str) -> float:
    expected, given = Counter(list_tokens(true)), Counter(list_tokens(found))
    return 2 * (expected & given).total() / max(1, expected.total() + given.total())


def text_of_html(html: str) -> str:
    """Every word of some HTML, apart from its neighbours."""
    tree = LexborHTMLParser(html)
    tree.strip_tags(["script", "style", "noscript", "iframe", "svg"])
    return tree.body.text(separator="\n") if tree.body else ""


def count_tags(html: str, tags: Iterable[str]) -> Counter[str]:
    tree = LexborHTMLParser(html)
    return Counter({tag: len(tree.css(tag)) for tag in tags})
