"""Finds what a person would read on a page and nobody can translate: texts that are not marked."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final

from jinja2 import nodes

from kept.web.rendering import environment

READ_ALOUD: Final = frozenset({"aria-label", "title", "placeholder", "alt"})
NOT_READ: Final = frozenset({"code", "kbd", "script", "svg", "symbol"})
# Names, and examples that are the same in every language.
NAMES: Final = re.compile(r"\bKept\b|example\.org|kept_|XXXX-XXXX|, required")
KEY: Final = re.compile(r"\((?:[a-z]|\[|\])\)")
JINJA: Final = re.compile(r"\{#.*?#\}|\{% trans .*?%\}.*?\{% endtrans %\}|\{% trans %\}.*?\{% endtrans %\}|\{\{.*?\}\}|\{%.*?%\}", re.S)  # fmt: skip  # noqa: E501
MARKING: Final = frozenset({"_", "gettext", "ngettext", "pgettext"})
FORMATS: Final = frozenset({"EPUB", "HTML", "Markdown", "CSV", "JSON", "Aa", "Permissions"})
PROSE: Final = re.compile(r"[A-Z][a-z]+|[a-z]{2,} [a-z]{2,}")
SCRIPT_TEXT: Final = re.compile(r"""(["'`])([A-Z][a-z]+(?: [^"'`]*|[a-z.…]*))\1""")


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in NOT_READ:
            self.within.append(tag)
        self.found += [value or "" for name, value in attrs if name in READ_ALOUD]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in READ_ALOUD]

    def handle_endtag(self, tag: str) -> None:
        if self.within and self.within[-1] == tag:
            self.within.pop()

    def handle_data(self, data: str) -> None:
        if not self.within:
            self.found.append(data)


def find_in_template(source: str) -> list[str]:
    return [*_find_in_markup(source), *_find_in_expressions(environment.parse(source))]


def is_text(text: str) -> bool:
    """What is left of a macro that writes attributes is none."""
    return '="' not in text and re.search(r"[^\W\d_]{2}", NAMES.sub("", KEY.sub("", text))) is not None


def _find_in_markup(source: str) -> list[str]:
    parser = _Texts()
    blocks = re.sub(r"\{% block \w+_class %\}[\w -]*\{% endblock %\}", "", source)
    parser.feed(JINJA.sub("", blocks))
    return [text.strip() for text in parser.found if is_text(text)]


def _find_in_expressions(node: nodes.Node) -> Iterator[str]:
    """Text constants that end up on the page: not what is compared with, looked up or passed to a filter."""
    match node:
        case nodes.Call(node=nodes.Name(name=name)) if name in MARKING:
            return
        case nodes.Const(value=str(text)):
            if PROSE.search(text) and "=" not in text and text not in FORMATS and "/" not in text:
                yield text
            return
        case nodes.CondExpr():
            parts: list[nodes.Node | None] = [node.expr1, node.expr2]
        case nodes.Filter():
            parts = [node.node]
        case nodes.Compare() | nodes.Test() | nodes.Getitem() | nodes.Import() | nodes.FromImport() | nodes.Include():
            return
        case nodes.If():
            parts = [*node.body, *node.elif_, *node.else_]
        case _:
            parts = list(node.iter_child_nodes())
    for part in parts:
        if part is not None:
            yield from _find_in_expressions(part)


def find_in_script(source: str, marked: set[str]) -> list[str]:
    code = re.sub(r"^\s*//.*$|\s//\s.*$", "", source, flags=re.M)
    return [text for _, text in SCRIPT_TEXT.findall(code) if text not in marked and " " in text and "${" not in text]


def find_in_module(source: str, marked: set[str]) -> list[str]:
    tree = ast.parse(source)
    documented = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    texts = {
        node.value: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented
    }
    return [text for text in texts if re.match(r"[A-Z][a-z']+ [a-z]", text) and text not in marked]
