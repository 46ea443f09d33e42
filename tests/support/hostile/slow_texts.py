"""Finds the regular expressions and normal forms of the source, and makes texts that could be slow for them."""

import ast
import importlib
import re
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType
from typing import Any, Final

import kept

SOURCE: Final = Path(kept.__file__).parent
LENGTH: Final = 100_000
# Functions of `re` and methods of a pattern that read text.
READING: Final = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")
NORMAL_FORMS: Final = ("normalize", "is_normalized")
REPEATS: Final = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
# A repeat of fewer cannot cost much.
MANY: Final = 100
Pattern = re.Pattern[Any]


# --- where they are ---------------------------------------------------------------------------------------------------


def source_files() -> list[Path]:
    return [path for path in sorted(SOURCE.rglob("*.py")) if "migrations" not in path.parts]


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def find_patterns() -> dict[str, list[Pattern]]:
    """Those that a module holds, by file and name; a value that holds several has several."""
    found = {}
    for path in source_files():
        names = set(assigned_names(parse(path)))
        module = import_module(path) if "re" in path.read_text(encoding="utf-8") else None
        for name in sorted(names) if module is not None else ():
            if patterns := list(patterns_in(getattr(module, name, None))):
                found[f"{name_of(path)}:{name}"] = patterns
    return found


def import_module(path: Path) -> ModuleType | None:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    name = ".".join(("kept", *(part for part in parts if part != "__init__")))
    return None if name.endswith("__main__") else importlib.import_module(name)


def assigned_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def patterns_in(value: object) -> Iterator[Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from patterns_in(inner)
    elif isinstance(value, (tuple, list, frozenset)):
        for inner in value:
            yield from patterns_in(inner)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from patterns_in(getattr(value, field.name))


def find_calls() -> set[str]:
    """Functions that call `re`, `unicodedata.normalize` or `html.unescape` themselves, by file and name."""
    return {
        f"{name_of(path)}:{function.name}"
        for path in source_files()
        for function in ast.walk(parse(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and is_watched(node.func)
    }


def find_files_calling(*names: str) -> set[str]:
    """Files in which a function of one of the names is called, of whatever module it is."""
    return {
        name_of(path)
        for path in source_files()
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call) and isinstance(called := node.func, ast.Name | ast.Attribute)
        if (called.id if isinstance(called, ast.Name) else called.attr) in names
    }


def is_watched(function: ast.expr) -> bool:
    match function:
        case ast.Attribute(value=ast.Name(id="re"), attr=attribute):
            return attribute in ("compile", *READING)
        case ast.Attribute(value=ast.Name(id="unicodedata"), attr=attribute):
            return attribute in NORMAL_FORMS
        case ast.Attribute(attr="unescape") | ast.Name(id="unescape"):
            return True
    return False


def find_uses() -> dict[str, set[str]]:
    """How a name that may be a pattern's is used anywhere: by which methods."""
    uses: dict[str, set[str]] = {}
    for path in source_files():
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Attribute) and node.attr in READING:
                held = node.value
                name = held.id if isinstance(held, ast.Name) else held.attr if isinstance(held, ast.Attribute) else ""
                uses.setdefault(name, set()).add(node.attr)
    return uses


# --- texts made from an expression ------------------------------------------------------------------------------------


Attack = tuple[str, str, str]
"""What comes first, what is repeated up to the length, what comes last."""


def make_attacks(pattern: Pattern) -> set[Attack]:
    """For each repeat without a small limit: what leads up to it and then much of what it repeats, without an end; the
    same beginning again and again; and what is repeated alone."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(
        text, pattern.flags & ~re.DEBUG & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    )
    made: set[Attack] = set()
    for before, units in repeats_in(list(tree), ""):
        for unit in units:
            made |= {(before, unit, after) for after in ("", "\x00", "x")}
            made |= {("", unit, ""), ("", before + unit, ""), ("", before or unit, "")}
    return made or {("", example(list(tree)) or "x", "")}


def fill(attack: Attack, length: int = LENGTH) -> str:
    before, unit, after = attack
    return before + unit * max(1, (length - len(before) - len(after)) // len(unit)) + after


def repeats_in(items: list[Any], before: str) -> Iterator[tuple[str, list[str]]]:
    for number, (kind, value) in enumerate(items):
        lead = before + example(items[:number])
        if kind in REPEATS:
            _, most, inner = value
            if most is ops.MAXREPEAT or most >= MANY:
                yield lead, examples(list(inner))
            yield from repeats_in(list(inner), lead)
        for branch in branches(kind, value):
            yield from repeats_in(branch, lead)


def branches(kind: Any, value: Any) -> list[list[Any]]:
    if kind is ops.SUBPATTERN:
        return [list(value[-1])]
    if kind is ops.BRANCH:
        return [list(branch) for branch in value[1]]
    if kind is ops.ATOMIC_GROUP:
        return [list(value)]
    if kind in (ops.ASSERT, ops.ASSERT_NOT):
        return [list(value[1])]
    return []


def example(items: list[Any]) -> str:
    """One of the shortest texts that the items match, as far as looking ahead and back does not matter."""
    return "".join(example_of(kind, value) for kind, value in items)


def example_of(kind: Any, value: Any) -> str:
    if kind is ops.LITERAL:
        return chr(value)
    if kind is ops.NOT_LITERAL:
        return "x" if value != ord("x") else "y"
    if kind is ops.ANY:
        return "x"
    if kind is ops.IN:
        return members(value)[0]
    if kind in REPEATS:
        return example(list(value[2])) * int(value[0])
    if kind in (ops.SUBPATTERN, ops.BRANCH, ops.ATOMIC_GROUP):
        return example(branches(kind, value)[0])
    return ""


def examples(items: list[Any]) -> list[str]:
    """What a repeat repeats: each kind of character it takes, if it takes one."""
    if len(items) == 1 and items[0][0] is ops.IN:
        return members(items[0][1])
    if len(items) == 1 and items[0][0] in (ops.BRANCH, ops.SUBPATTERN):
        return [text for branch in branches(*items[0]) for text in examples(branch)] or ["x"]
    return [example(items) or "x"]


PROBES: Final = "x1 \n<>\"'=-/.:|@é漢\u0301"


def members(inside: list[Any]) -> list[str]:
    """Characters of some kinds that a class holds; one that it names itself, where it holds none of those."""
    held = re.compile("[" + "".join(spell_member(kind, value) for kind, value in inside) + "]")
    found = [probe for probe in PROBES if held.fullmatch(probe)]
    named = [
        chr(value if kind is ops.LITERAL else value[0]) for kind, value in inside if kind in (ops.LITERAL, ops.RANGE)
    ]
    return found or named or ["\x7f"]


CATEGORIES: Final = {
    ops.CATEGORY_DIGIT: r"\d",
    ops.CATEGORY_NOT_DIGIT: r"\D",
    ops.CATEGORY_SPACE: r"\s",
    ops.CATEGORY_NOT_SPACE: r"\S",
    ops.CATEGORY_WORD: r"\w",
    ops.CATEGORY_NOT_WORD: r"\W",
}


def spell_member(kind: Any, value: Any) -> str:
    if kind is ops.NEGATE:
        return "^"
    if kind is ops.LITERAL:
        return re.escape(chr(value))
    if kind is ops.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return CATEGORIES[value]


# --- reading them -----------------------------------------------------------------------------------------------------


def read_by(pattern: Pattern, methods: Iterable[str], text: str) -> None:
    given = text if isinstance(pattern.pattern, str) else text.encode("utf-8")
    for method in methods:
        match method:
            case "sub" | "subn":
                pattern.sub("" if isinstance(pattern.pattern, str) else b"", given)
            case "finditer" | "findall":
                pattern.findall(given)
            case _:
                getattr(pattern, method)(given)


class TookTooLong(Exception):
    """Of processor time."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Regular expressions look for signals while they match, so that one without an end is ended here."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"more than {seconds} s")

    before: Callable[[int, FrameType | None], Any] | int | None = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
