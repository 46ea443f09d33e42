"""The structure of the source, read from its syntax trees: how large functions are, and what
storage may not do. import-linter holds the rest (pyproject.toml)."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import kept
from kept.cli.main import app

SOURCE = Path(kept.__file__).parent
MAX_PARAMETERS = 6
MAX_LINES = 45
MAX_ANY = 150
READS_SETTINGS = {"load_settings", "Settings"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def source_files(*folders: str) -> list[Path]:
    found = [path for folder in folders or ("",) for path in sorted((SOURCE / folder).rglob("*.py"))]
    return [path for path in found if "versions" not in path.parts]


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def functions() -> Iterator[tuple[str, Function]]:
    for path in source_files():
        for node in ast.walk(parse(path)):
            if isinstance(node, Function):
                yield f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}", node


def is_command(place: str) -> bool:
    """The parameters of a command are its options, which people know."""
    module, name = place.split(":")[0].removesuffix(".py").replace("/", "."), place.split()[-1]
    commands = [command.callback for command in app.registered_commands]
    return (f"kept.{module}", name) in {(each.__module__, each.__name__) for each in commands if each is not None}


def test_service_packages_hold_nothing_themselves() -> None:
    assert [path for path in source_files("services") if path.name == "__init__.py" and path.read_text().strip()] == []


def test_no_service_imports_a_private_name() -> None:
    private = [
        f"{path.relative_to(SOURCE)}: {node.module}.{name.name}"
        for path in source_files("services")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.name.startswith("_") and not name.name.startswith("__")
    ]
    assert private == []


def test_only_entry_points_read_the_settings() -> None:
    """Everything else is handed a `Settings`."""
    reading = {
        path.relative_to(SOURCE).parts[0]
        for path in source_files()
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in READS_SETTINGS
    }
    assert reading == {"cli", "worker", "config.py"}


def test_functions_take_few_parameters() -> None:
    def count(node: Function) -> int:
        named = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
        return sum(argument is not None and argument.arg not in {"self", "cls"} for argument in named)

    many = {place: count(node) for place, node in functions() if count(node) > MAX_PARAMETERS}
    assert {place: number for place, number in many.items() if not is_command(place)} == {}


def test_functions_are_short() -> None:
    def count(node: Function) -> int:
        return (node.end_lineno or node.lineno) - node.lineno + 1

    assert {place: count(node) for place, node in functions() if count(node) > MAX_LINES} == {}


def test_any_is_rare() -> None:
    used = sum(
        isinstance(node, ast.Name) and node.id == "Any" for path in source_files() for node in ast.walk(parse(path))
    )
    assert used <= MAX_ANY


def test_storage_awaits_nothing() -> None:
    """A unit of work is run whole in a thread. Blobs are no part of a transaction."""
    waiting = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in source_files("storage")
        if "blobs" not in path.parts and path.name != "engine.py"
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith | ast.AsyncFunctionDef)
    ]
    assert waiting == []
