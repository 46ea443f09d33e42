"""Site rules as an operator writes them: what they mean, and what is said where they cannot be used."""

import pytest

from kept.content.article.site_rule_files import MAX_ENTRIES, MAX_SELECTOR, RuleFaults, parse_site_rule
from kept.content.article.site_rules import SiteRule

WHOLE = """
hosts = ["Example.org", "*.exämple.net"]
take = ["article .text", "figure.lead"]
leave = [".newsletter"]
next_page = "a.next"
title = "h1"
byline = ".author"
browser = true
"""


def rule(text: str) -> SiteRule:
    parsed = parse_site_rule(text, "a.toml")
    assert isinstance(parsed, SiteRule), parsed
    return parsed


def faults(text: str) -> list[str]:
    parsed = parse_site_rule(text, "a.toml")
    assert isinstance(parsed, RuleFaults), parsed
    return list(parsed.lines)


def test_a_file_says_everything_a_rule_can() -> None:
    found = rule(WHOLE)
    assert found.hosts == ("example.org", "*.xn--exmple-cua.net")
    assert (found.take, found.leave) == (("article .text", "figure.lead"), (".newsletter",))
    assert (found.next_page, found.title, found.byline, found.browser) == ("a.next", "h1", ".author", True)
    assert found.file == "a.toml"


@pytest.mark.parametrize(
    ("hosts", "host", "is_covered"),
    [
        ('["example.org"]', "example.org", True),
        ('["example.org"]', "www.example.org", True),
        ('["www.example.org"]', "example.org", True),
        ('["example.org"]', "a.example.org", False),
        ('["example.org"]', "notexample.org", False),
        ('["*.example.org"]', "a.b.example.org", True),
        ('["*.example.org"]', "example.org", False),
        ('["*.example.org"]', "evilexample.org", False),
        ('["127.0.0.1"]', "127.0.0.1", True),
    ],
)
def test_a_rule_covers_the_hosts_it_names(hosts: str, host: str, is_covered: bool) -> None:
    assert rule(f"hosts = {hosts}\nbrowser = true").covers(host) is is_covered


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("hosts = [", "a.toml: is not TOML: "),
        ("a = " + "[" * 9_000, "a.toml: is not TOML: "),
        ('take = ["p"]', "a.toml: hosts: is missing"),
        ('hosts = []\ntake = ["p"]', "a.toml: hosts: must not be empty"),
        ('hosts = "example.org"\ntake = ["p"]', "a.toml: hosts: must be a list"),
        ('hosts = ["example.org/a"]\ntake = ["p"]', "a.toml: hosts, entry 1: is not a host name"),
        ('hosts = ["example.org:8080"]\ntake = ["p"]', "a.toml: hosts, entry 1: is not a host name"),
        ('hosts = ["example.org"]\ntake = ["p", "p{"]', "a.toml: take, entry 2: is not a CSS selector"),
        ('hosts = ["example.org"]\ntake = ["p:is("]', "a.toml: take, entry 1: is not a CSS selector"),
        ('hosts = ["example.org"]\nleave = ["a[href=\'x"]', "a.toml: leave, entry 1: is not a CSS selector"),
        ('hosts = ["example.org"]\nleave = [1]', "a.toml: leave, entry 1: must be text"),
        ('hosts = ["example.org"]\ntitle = ""', "a.toml: title: must not be empty"),
        (f'hosts = ["example.org"]\ntitle = "{"p" * 600}"', f"a.toml: title: must have at most {MAX_SELECTOR}"),
        (f'hosts = ["example.org"]\ntake = {["p"] * 60}', f"a.toml: take: must have at most {MAX_ENTRIES} entries"),
        ('hosts = ["example.org"]\nbrowser = "yes"', "a.toml: browser: must be true or false"),
        ('hosts = ["example.org"]\ntakes = ["p"]', "a.toml: takes: there is no such field"),
        ('hosts = ["example.org"]\nfile = "b"\ntake = ["p"]', "a.toml: file: there is no such field"),
        ('hosts = ["example.org"]', "a.toml: says nothing to do"),
    ],
)
def test_a_fault_is_one_line_that_names_file_and_field(text: str, fault: str) -> None:
    [line] = faults(text)
    assert line.startswith(fault)
    assert "\n" not in line


def test_each_fault_of_a_file_has_its_line() -> None:
    assert len(faults('hosts = ["a b"]\ntake = ["p{"]\nbrowser = 1')) == 3
