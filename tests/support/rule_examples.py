"""The examples of the rules of extraction, `tests/data/rules/*.toml`: what each makes of a piece of a page, or leaves.

A file is called as its rule; `all.toml` has what no rule changes. A case has a `name`, a piece of a page `before`, and,
if the rule `changes` it, what it is `after`: nothing, unless the case says so. The file, or the case, may say what
stands around the piece (`page`, with `{case}` in it), the page's `head` and `url`, and the `titles` and the `byline` of
its article. `{FIRST}`, `{LAST}` and `{SUMMARY}` are texts, and so is what `[texts]` names; `{NAME*3}` is one three
times, with `{n}` in it counted from 0.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

from kept.content.article.rules import RULES, Rules
from kept.content.article.rules.facts import Subject, find_facts

FOLDER: Final = Path(__file__).parents[1] / "data" / "rules"
TEXTS: Final = {
    "FIRST": (
        "<p>The council met on Tuesday to weigh a plan that would close the old bridge for two years, "
        "and the people of the valley came in numbers to say what they thought of it.</p>"
    ),
    "LAST": (
        "<p>Whatever is decided, the ferry will run again from the first of May, the mayor said, and nobody "
        "in the hall that evening believed that it would be the last word on the matter.</p>"
    ),
    "SUMMARY": "The mill by the river has stood empty since the flood, and nobody knows who owns it now.",
}
DEFAULTS: Final = {
    "page": '<div class="page">{FIRST}{case}{LAST}</div>',
    "head": "",
    "url": "https://news.example/bridge",
    "titles": ("The bridge that divides a valley",),
    "byline": "Ada Byron",
}
_NAMED: Final = re.compile(r"\{([A-Z_]+)(?:\*(\d+))?\}")


@dataclass(frozen=True, slots=True)
class Example:
    rule: str
    """Or "all"."""
    name: str
    before: str
    after: str
    head: str
    url: str
    titles: tuple[str, ...]
    byline: str

    @property
    def changes(self) -> bool:
        return self.before != self.after

    def run(self) -> str:
        """What the rule makes of the page, or what all rules that come after Readability make of it."""
        page = LexborHTMLParser(f"<html><head>{self.head}</head><body>{self.before}</body></html>")
        body = page.body
        assert body is not None
        rules = Rules(before=()) if self.rule == "all" else only(self.rule)
        facts = find_facts(page, self.url)
        for before in rules.before:
            before(body, facts)
        rules.prune(body, Subject(self.titles, self.byline, facts.host))
        return body.inner_html or ""


def only(name: str) -> Rules:
    return RULES.without(other for other in RULES.names() if other != name)


def load_examples() -> list[Example]:
    return [example for file in sorted(FOLDER.glob("*.toml")) for example in read_file(file)]


def read_file(file: Path) -> Iterator[Example]:
    table = tomllib.loads(file.read_text("utf-8"))
    texts = {**TEXTS, **table.get("texts", {})}
    for case in table.get("changes", []):
        yield read_case(file.stem, {**DEFAULTS, **table, "after": "", **case}, texts)
    for case in table.get("leaves", []):
        yield read_case(file.stem, {**DEFAULTS, **table, **case, "after": case["before"]}, texts)


def read_case(rule: str, case: dict[str, Any], texts: dict[str, str]) -> Example:
    before, after = (expand(case["page"].replace("{case}", case[side]), texts) for side in ("before", "after"))
    return Example(
        rule=rule,
        name=case["name"],
        before=as_parsed(before),
        after=as_parsed(after),
        head=expand(case["head"], texts),
        url=case["url"],
        titles=tuple(case["titles"]),
        byline=case["byline"],
    )


def expand(html: str, texts: dict[str, str]) -> str:
    def write(found: re.Match[str]) -> str:
        text = expand(texts[found[1]], texts)
        return "".join(text.replace("{n}", str(at)) for at in range(int(found[2]))) if found[2] else text

    return _NAMED.sub(write, html)


def as_parsed(html: str) -> str:
    body = LexborHTMLParser(f"<body>{html}</body>").body
    assert body is not None
    return body.inner_html or ""
