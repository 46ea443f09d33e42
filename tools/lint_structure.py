"""The structure of the source, read from its syntax trees: how large functions are, and what storage may not do.
import-linter holds the rest (pyproject.toml)."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kept.cli.main import app

SOURCE = Path(__file__).parents[1] / "src" / "kept"
MAX_PARAMETERS = 6
MAX_LINES = 45
MAX_ANY = 150
READS_SETTINGS = {"load_settings", "Settings"}
# Only entry points read the settings; everything else is handed a `Settings`.
MAY_READ_SETTINGS = {"cli", "worker", "config.py"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_faults() -> Iterator[str]:
    yield from find_service_faults()
    yield from find_readers_of_settings()
    yield from find_large_functions()
    yield from find_many_anys()
    yield from find_waits_in_storage()


def find_service_faults() -> Iterator[str]:
    for path in source_files("services"):
        if path.name == "__init__.py" and path.read_text().strip():
            yield f"{place_of(path)}: a package of services holds nothing itself"
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom):
                private = [one.name for one in node.names if one.name.startswith("_") and not one.name.startswith("__")]
                yield from (f"{place_of(path)}: imports the private {node.module}.{name}" for name in private)


def find_readers_of_settings() -> Iterator[str]:
    for path in source_files():
        if path.relative_to(SOURCE).parts[0] in MAY_READ_SETTINGS:
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in READS_SETTINGS:
                yield f"{place_of(path)}:{node.lineno}: only entry points read the settings"


def find_large_functions() -> Iterator[str]:
    for path in source_files():
        for node in nodes_of(path):
            if isinstance(node, Function):
                yield from (f"{place_of(path)}:{node.lineno}: {node.name} {fault}" for fault in faults_of(path, node))


def faults_of(path: Path, function: Function) -> Iterator[str]:
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if lines > MAX_LINES:
        yield f"has {lines} lines, more than {MAX_LINES}"
    arguments = function.args
    named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    count = sum(argument is not None and argument.arg not in {"self", "cls"} for argument in named)
    if count > MAX_PARAMETERS and not is_command(path, function):
        yield f"takes {count} parameters, more than {MAX_PARAMETERS}"


def is_command(path: Path, function: Function) -> bool:
    """The parameters of a command are its options, which people know."""
    module = ".".join(("kept", *path.relative_to(SOURCE).with_suffix("").parts))
    commands = [command.callback for command in app.registered_commands]
    return (module, function.name) in {(each.__module__, each.__name__) for each in commands if each is not None}


def find_many_anys() -> Iterator[str]:
    used = sum(isinstance(node, ast.Name) and node.id == "Any" for path in source_files() for node in nodes_of(path))
    if used > MAX_ANY:
        yield f"src/kept: `Any` is used {used} times, more than {MAX_ANY}"


def find_waits_in_storage() -> Iterator[str]:
    """A unit of work is run whole in a thread. Blobs are no part of a transaction."""
    for path in source_files("storage"):
        if "blobs" in path.parts or path.name == "engine.py":
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith | ast.AsyncFunctionDef):
                yield f"{place_of(path)}:{node.lineno}: storage awaits nothing"


def source_files(folder: str = "") -> list[Path]:
    return [path for path in sorted((SOURCE / folder).rglob("*.py")) if "versions" not in path.parts]


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))))


def place_of(path: Path) -> str:
    return str(path.relative_to(SOURCE.parents[1]))
