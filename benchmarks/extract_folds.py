"""What is chosen on four fifths of the articles is scored on the rest, five times: thresholds, and which rules to have.

`./bench extract_folds [--quick]`. For the thresholds, numbers of the second opinion are chosen. For the rules, each of
`prepare` and `prune` is left out once, and a fold has only those whose loss would not have helped the other four. How
the rules are written is not chosen so: that was done with the pages seen. docs/benchmarks.md has figures of pages that
nobody had looked at.
"""

import argparse
import inspect
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Final, NamedTuple
from unittest.mock import patch
from uuid import UUID

from kept.content.article import candidates, prepare, prune
from kept.content.article.article import Article, Page
from kept.content.article.candidates import Opinions
from kept.content.article.extract import compose, find_opinions
from kept.content.article.listing import Listing, find_listing
from kept.content.article.readable import Finish, Readable
from kept.content.article.reading import read_page
from kept.content.article.tidy import tidy_page, write_page
from kept.content.page.decode import decode_html
from kept.content.page.description import PageMetadata
from kept.content.page.metadata import read_metadata
from kept.subprocesses.sidecar import BUNDLE, Sidecar, find_node
from support.extraction_corpus import ArticlePage, Score, describe_corpus, load_articles, score_articles

FOLDS: Final = 5
LEAST_SHARED: Final = (0.0, 0.6, 0.75, 0.9)
MARGINS: Final = (0.05, 0.15, 0.3)


class Thresholds(NamedTuple):
    least_shared: float
    margin: float


class ReadPage(NamedTuple):
    page: ArticlePage
    metadata: PageMetadata
    readable: Readable
    opinions: Opinions | None
    listing: Listing | None


def read_all(node: Path, most: int) -> Iterator[ReadPage]:
    sidecar = Sidecar(node, BUNDLE)
    for page in load_articles()[:most]:
        html = decode_html(page.body, "text/html; charset=utf-8").text
        tree = tidy_page(html, page.url)
        is_listing = find_listing(tree) is not None
        prepare.prepare_page(tree, page.url, is_listing=is_listing)
        outcome = sidecar.start(write_page(tree), 30)()
        readable = outcome if isinstance(outcome, Readable) else Readable("")
        opinions, listing = find_opinions(html, tree), find_listing(tree) if is_listing else None
        yield ReadPage(page, read_metadata(html, page.url), readable, opinions, listing)
    sidecar.stop()


def score(read: ReadPage, thresholds: Thresholds) -> tuple[str, str]:
    with (
        patch.object(candidates, "LEAST_SHARED", thresholds.least_shared),
        patch.object(candidates, "MARGIN", thresholds.margin),
    ):
        page = Page(read.page.body, read.page.url, UUID(int=0), "text/html")
        outcome = compose(page, read.metadata, read.readable, read.opinions, read.listing)
    return read.page.true_text, outcome.text.text if isinstance(outcome, Article) else ""


class RememberingSidecar:
    """Most rules come after Readability, which then need not read the page again."""

    def __init__(self, sidecar: Sidecar) -> None:
        self._sidecar = sidecar
        self._read: dict[str, Finish] = {}

    def start(self, html: str, timeout_seconds: float) -> Finish:
        if html not in self._read:
            outcome = self._sidecar.start(html, timeout_seconds)()
            self._read[html] = lambda: outcome
        return self._read[html]


def list_rules() -> dict[str, ModuleType]:
    return {
        name: module
        for module in (prepare, prune)
        for name in vars(module)
        if inspect.isfunction(getattr(module, name)) and name not in {"prepare_page", "prune", "dataclass"}
    }


def read_without(
    left_out: Iterable[str], pages: list[ArticlePage], reader: RememberingSidecar
) -> list[tuple[str, str]]:
    rules = list_rules()
    with ExitStack() as stack:
        for name in left_out:
            stack.enter_context(patch.object(rules[name], name, lambda *_given, **_named: None))
        return [(page.true_text, read_text(page, reader)) for page in pages]


def read_text(page: ArticlePage, reader: RememberingSidecar) -> str:
    outcome = read_page(Page(page.body, page.url, UUID(int=0), "text/html; charset=utf-8"), reader, 30)
    return outcome.text.text if isinstance(outcome, Article) else ""


def in_fold(fold: int, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return pairs[fold::FOLDS]


def outside_fold(fold: int, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [pair for at, pair in enumerate(pairs) if at % FOLDS != fold]


def choose_rules(node: Path, most: int) -> None:
    sidecar = Sidecar(node, BUNDLE)
    reader, pages = RememberingSidecar(sidecar), load_articles()[:most]
    with_all = read_without((), pages, reader)
    without = {name: read_without((name,), pages, reader) for name in list_rules()}
    held_out: list[Score] = []
    for fold in range(FOLDS):
        best = score_articles(outside_fold(fold, with_all)).f1
        left_out = [name for name, pairs in without.items() if score_articles(outside_fold(fold, pairs)).f1 > best]
        held_out.append(score_articles(read_without(left_out, pages[fold::FOLDS], reader)))
        print(f"fold {fold + 1}, rules: F1 {held_out[-1].f1:.4f}, without {left_out}")
    sidecar.stop()
    print(f"mean of the folds, rules: F1 {mean(one.f1 for one in held_out):.4f}")
    print(f"all pages, all rules: F1 {score_articles(with_all).f1:.4f}")
    for name, pairs in without.items():
        print(f"all pages, without {name}: F1 {score_articles(pairs).f1:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="./bench extract_folds", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    most = 10 if parser.parse_args().quick else 1000
    node = find_node(None)
    if node is None:
        sys.exit("Node was not found.")
    print(describe_corpus(), file=sys.stderr)
    choose_thresholds(node, most)
    choose_rules(node, most)


def choose_thresholds(node: Path, most: int) -> None:
    pages = list(read_all(node, most))
    grid = [Thresholds(*pair) for pair in product(LEAST_SHARED, MARGINS)]
    found = {thresholds: [score(page, thresholds) for page in pages] for thresholds in grid}
    held_out: list[Score] = []
    for fold in range(FOLDS):
        of_others = {key: outside_fold(fold, pairs) for key, pairs in found.items()}
        chosen = max(grid, key=lambda key: score_articles(of_others[key]).f1)
        held_out.append(score_articles(in_fold(fold, found[chosen])))
        print(f"fold {fold + 1}: {chosen}, F1 {held_out[-1].f1:.4f}")
    print(f"mean of the folds: F1 {mean(one.f1 for one in held_out):.4f}")
    for thresholds in grid:
        print(f"all pages, {thresholds}: F1 {score_articles(found[thresholds]).f1:.4f}")


if __name__ == "__main__":
    main()
