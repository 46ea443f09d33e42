"""What each rule of extraction is worth: sets of pages whose text is known, read with some rules left out.

For `./bench extract`. Pages are read by the real extractor in two processes. What Readability made of a page is
remembered by the markup that it was given, so that a rule that changes nothing before it does not ask it again.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from kept.content.article.article import Article, Page
from kept.content.article.readable import Finish
from kept.content.article.reading import read_page
from kept.content.article.rules import RULES
from kept.subprocesses.sidecar import BUNDLE, Sidecar
from support.extraction_corpus import MOZILLA_URL, PUBLIC, Score, score_articles, text_of_html, unzip

PROCESSES: Final = 2
HTML: Final = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page, and what is known of its text: all of it, or passages that are in it and passages that are not."""

    key: str
    url: str
    file: Path
    text: str | None = None
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        return self.text is not None or bool(self.present or self.absent)

    @property
    def body(self) -> bytes:
        return unzip(self.file) if self.file.suffix == ".gz" else self.file.read_bytes()


@dataclass(frozen=True, slots=True)
class PageSet:
    """Pages of one folder, which are scored in one way."""

    name: str
    pages: tuple[KnownPage, ...]
    score: Callable[[tuple[KnownPage, ...], list[str]], Score]

    def with_truth(self, texts: list[str]) -> "PageSet":
        """Of pages that nobody has looked at, the text that all rules give counts as true."""
        pairs = zip(self.pages, texts, strict=True)
        return replace(self, pages=tuple(page if page.is_known else replace(page, text=text) for page, text in pairs))


def find_sets(folder: Path | None) -> list[PageSet]:
    """That of a folder, or those of the folders in it; without a folder, those of the public corpora."""
    top = folder or PUBLIC
    if not top.is_dir():
        return []
    own = load_set(top)
    inner = [load_set(inner) for inner in sorted(top.iterdir()) if inner.is_dir()] if own is None else [own]
    return [found for found in inner if found is not None]


def load_set(folder: Path) -> PageSet | None:
    """By what it holds: the articles' text, passages of it, what Readability makes of each page, or pages alone."""
    name = folder.name
    if (folder / "ground-truth.json").is_file():
        return PageSet(name, tuple(list_articles(folder)), score_whole)
    if (folder / "segments.json").is_file():
        return PageSet(name, tuple(list_annotated(folder)), score_passages)
    if any(folder.glob("*/source.html*")):
        return PageSet(name, tuple(list_readability(folder)), score_whole)
    files = sorted((*folder.glob("*.html"), *folder.glob("*.html.gz")))
    pages = tuple(KnownPage(file.name, f"https://site.example/pages/{file.name}", file) for file in files)
    return PageSet(name, pages, score_whole) if pages else None


def list_articles(folder: Path) -> Iterator[KnownPage]:
    for key, entry in sorted(read_json(folder / "ground-truth.json").items()):
        yield KnownPage(key, entry["url"], find_page(folder / "html" / key), entry["articleBody"])


def list_annotated(folder: Path) -> Iterator[KnownPage]:
    for key, entry in sorted(read_json(folder / "segments.json").items()):
        present, absent = tuple(map(fold, entry["with"])), tuple(map(fold, entry["without"]))
        yield KnownPage(key, entry["url"], find_page(folder / "html" / key), None, present, absent)


def list_readability(folder: Path) -> Iterator[KnownPage]:
    for source in sorted(folder.glob("*/source.html*")):
        expected = next(source.parent.glob("expected.html*"))
        body = unzip(expected) if expected.suffix == ".gz" else expected.read_bytes()
        yield KnownPage(source.parent.name, MOZILLA_URL, source, text_of_html(body.decode()))


def read_json(file: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return found


def find_page(stem: Path) -> Path:
    zipped = stem.with_name(f"{stem.name}.html.gz")
    return zipped if zipped.is_file() else stem.with_name(f"{stem.name}.html")


def fold(text: str) -> str:
    return " ".join(text.split())


def score_whole(pages: tuple[KnownPage, ...], texts: list[str]) -> Score:
    return score_articles((page.text or "", text) for page, text in zip(pages, texts, strict=True))


def score_passages(pages: tuple[KnownPage, ...], texts: list[str]) -> Score:
    """Over all passages of all pages, not page by page."""
    counts: Counter[str] = Counter()
    for page, text in zip(pages, map(fold, texts), strict=True):
        counts["right"] += sum(passage in text for passage in page.present)
        counts["wrong"] += sum(passage in text for passage in page.absent)
        counts["all"] += len(page.present)
    given = counts["right"] + counts["wrong"]
    return Score(counts["right"] / max(1, given), counts["right"] / max(1, counts["all"]))


class RememberingSidecar:
    def __init__(self, sidecar: Sidecar) -> None:
        self._sidecar = sidecar
        self._read: dict[str, Finish] = {}

    def start(self, html: str, timeout_seconds: float) -> Finish:
        if html not in self._read:
            outcome = self._sidecar.start(html, timeout_seconds)()
            self._read[html] = lambda: outcome
        return self._read[html]


Read = Callable[[Iterable[str]], list[str]]


@contextmanager
def open_reader(pages: list[KnownPage], node: Path) -> Iterator[Read]:
    """Gives the texts of the pages, with some rules left out. Each process has its own half of the pages."""
    halves = [pages[at::PROCESSES] for at in range(PROCESSES)]
    pools = [ProcessPoolExecutor(1, initializer=_open_half, initargs=(half, node)) for half in halves]

    def read(left_out: Iterable[str]) -> list[str]:
        names = frozenset(left_out)
        texts: list[str] = [""] * len(pages)
        for at, future in enumerate([pool.submit(_read_half, names) for pool in pools]):
            texts[at::PROCESSES] = future.result()
        return texts

    yield read
    for pool in pools:
        pool.submit(_close_half).result()
        pool.shutdown()


_half: list[tuple[bytes, str]] = []
_sidecars: list[Sidecar] = []
_readers: list[RememberingSidecar] = []


def _open_half(half: list[KnownPage], node: Path) -> None:
    _half.extend((page.body, page.url) for page in half)
    _sidecars.append(Sidecar(node, BUNDLE))
    _readers.append(RememberingSidecar(_sidecars[0]))


def _read_half(names: frozenset[str]) -> list[str]:
    rules = RULES.without(names)
    outcomes = (read_page(Page(body, url, UUID(int=0), HTML), _readers[0], 30, rules) for body, url in _half)
    return [outcome.text.text if isinstance(outcome, Article) else "" for outcome in outcomes]


def _close_half() -> None:
    _sidecars[0].stop()
