"""What is chosen on four fifths of the articles is scored on the rest, five times: thresholds, and which rules to have.

`./bench extract_folds [--quick]`. For the thresholds, numbers of the second opinion are chosen. For the rules, each
is left out once, and a fold has only those whose loss would not have helped the other four. How
the rules are written is not chosen so: that was done with the pages seen. docs/benchmarks.md has figures of pages that
nobody had looked at.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Final, NamedTuple
from unittest.mock import patch
from uuid import UUID

from kept.content.article.article import Article, Page
from kept.content.article.extract import compose
from kept.content.article.readable import Readable
from kept.content.article.rules import RULES
from kept.content.article.rules import thresholds as rule_thresholds
from kept.content.article.rules.candidates import Opinions, gather_opinions
from kept.content.article.tidy import tidy_page, write_page
from kept.content.page.decode import decode_html
from kept.content.page.description import PageMetadata
from kept.content.page.metadata import read_metadata
from kept.subprocesses.sidecar import BUNDLE, Sidecar, find_node
from support.builders.extraction_corpus import (
    ARTICLES,
    ArticlePage,
    Score,
    describe_corpus,
    load_articles,
    score_articles,
)
from support.fixtures.extraction_rules import find_sets, open_reader

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


def read_all(node: Path, most: int) -> Iterator[ReadPage]:
    sidecar = Sidecar(node, BUNDLE)
    for page in load_articles()[:most]:
        html = decode_html(page.body, "text/html; charset=utf-8").text
        tree = tidy_page(html, page.url)
        RULES.prepare(tree, page.url)
        outcome = sidecar.start(write_page(tree), 30)()
        readable = outcome if isinstance(outcome, Readable) else Readable("")
        yield ReadPage(page, read_metadata(html, page.url), readable, gather_opinions(html, tree))
    sidecar.stop()


def score(read: ReadPage, thresholds: Thresholds) -> tuple[str, str]:
    with (
        patch.object(rule_thresholds, "LEAST_SHARED", thresholds.least_shared),
        patch.object(rule_thresholds, "LEAST_MARGIN", thresholds.margin),
    ):
        page = Page(read.page.body, read.page.url, UUID(int=0), "text/html")
        outcome = compose(page, read.metadata, read.readable, read.opinions)
    return read.page.true_text, outcome.text.text if isinstance(outcome, Article) else ""


def in_fold(fold: int, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return pairs[fold::FOLDS]


def outside_fold(fold: int, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [pair for at, pair in enumerate(pairs) if at % FOLDS != fold]


def choose_rules(node: Path, most: int) -> None:
    pages = [page for found in find_sets(ARTICLES) for page in found.pages][:most]

    with open_reader(pages, node) as read:

        def pairs_without(names: Iterable[str]) -> list[tuple[str, str]]:
            return [(page.text or "", text) for page, text in zip(pages, read(names), strict=True)]

        with_all = pairs_without(())
        without = {name: pairs_without((name,)) for name in RULES.names()}
        held_out: list[Score] = []
        for fold in range(FOLDS):
            best = score_articles(outside_fold(fold, with_all)).f1
            left_out = [name for name, pairs in without.items() if score_articles(outside_fold(fold, pairs)).f1 > best]
            held_out.append(score_articles(in_fold(fold, pairs_without(left_out))))
            print(f"fold {fold + 1}, rules: F1 {held_out[-1].f1:.4f}, without {left_out}")
    print(f"mean of the folds, rules: F1 {mean(one.f1 for one in held_out):.4f}")
    print(f"all pages, all rules: F1 {score_articles(with_all).f1:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="./bench extract_folds", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    most = 10 if parser.parse_args().quick else 1000
    node = find_node(None)
    if node is None:
        sys.exit("Node was not found.")
    print(describe_corpus(), file=sys.stderr)
    choose_thresholds(node, most)
    if ARTICLES.is_dir():
        choose_rules(node, most)
    else:
        print(f"Rules are chosen on the public articles, which are not in {ARTICLES}.")


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
