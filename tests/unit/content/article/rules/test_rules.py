"""Each rule of extraction on its examples (`tests/data/rules/`), and what is true of all of them together."""

import time
from collections import Counter

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.article.rules import RULES
from kept.content.article.rules.facts import Subject
from support.fixtures.rule_examples import TEXTS, Example, load_examples

EXAMPLES = load_examples()
FIRST, SUMMARY = TEXTS["FIRST"], TEXTS["SUMMARY"]


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"{one.rule}-{one.name}" for one in EXAMPLES])
def test_a_rule_makes_of_its_examples_what_its_table_says(example: Example) -> None:
    assert example.run() == example.after


def test_every_rule_has_an_example_that_it_changes_and_one_that_it_leaves() -> None:
    rules = {rule.__name__ for rule in (*RULES.before, *RULES.after)}
    cases = Counter((example.rule, example.changes) for example in EXAMPLES)
    assert {rule for rule in rules if not (cases[rule, True] and cases[rule, False])} == set()
    assert {example.rule for example in EXAMPLES} == {*rules, "all"}


def test_rules_after_readability_change_nothing_more_the_second_time() -> None:
    after = {rule.__name__ for rule in RULES.after}
    root = LexborHTMLParser("".join(one.before for one in EXAMPLES if one.rule in after or one.rule == "all")).body
    assert root is not None
    subject = Subject(("The bridge that divides a valley",), "Ada Byron", "news.example")
    RULES.prune(root, subject)
    once = root.inner_html
    RULES.prune(root, subject)
    assert root.inner_html == once


TEASER = f'<div class="card"><h3><a href="/1">The empty mill number one</a></h3><p>{SUMMARY}</p></div>'
ROW = '<tr><td><a href="/t/1">Club 1</a></td><td>3</td><td>7</td></tr>'
HOSTILE = {
    "links in one block": "<div>" + "<a href='/x'>A headline of some length</a> and words " * 20_000 + "</div>",
    "links in nested blocks": "<div><a href='/x'>A headline of some length</a>" * 2_000,
    "teasers in nested lists": f"<div>{TEASER * 3}" * 700,
    "fields": "<div><input type=email>" * 2_000,
    "tables in tables": f"<table>{ROW * 12}<tr><td>" * 500,
    "quotations in quotations": "<div><blockquote><a href=x>x</a>" * 1_500,
    "cells": "<table><tr>" + "<td>1</td>" * 100_000,
    "headings": "<div>" + "<p>Related</p><p><a href='/x'>Another story of ours</a></p>" * 10_000 + "</div>",
    "headings in boxes in boxes": "<div><p>Related</p>" * 1_000,
    "headings in headings": "<div><h2><div><h3>How long?</h3></div></h2></div>" * 5_000,
    "articles in articles": "<article><a href='/x'>Another story of ours</a>" * 1_000,
    "dates": "<p>May 4, 2021</p>" * 20_000,
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_page_goes_through_all_rules_in_time(body: str) -> None:
    page = LexborHTMLParser(f"<body>{FIRST}{body}")
    started_at = time.process_time()
    RULES.prepare(page, "https://news.example/bridge")
    assert page.body is not None
    RULES.prune(page.body, Subject(("The bridge",), "", "news.example"))
    assert time.process_time() - started_at < 5
