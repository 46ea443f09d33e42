"""Every bench can be imported without running, knows `--quick`, and has its section in docs/benchmarks.md."""

import contextlib
import importlib.util
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks"
PAGE = "docs/benchmarks.md"
QUICK = 'parser.add_argument("--quick", action="store_true"'


def find_faults() -> Iterator[str]:
    page = (ROOT / PAGE).read_text()
    names = sorted(path.stem for path in FOLDER.glob("*.py"))
    for name in names:
        yield from (f"{(FOLDER / name).relative_to(ROOT)}.py: {fault}" for fault in find_code_faults(name))
        if name != "all":
            yield from (f"{PAGE}: {fault}" for fault in find_page_faults(name, page))
    described = set(re.findall(r"^## `\./bench (\w+)`", page, re.MULTILINE))
    yield from (f"{PAGE}: there is no bench {name}" for name in sorted(described - set(names)))
    yield from (f"{PAGE}: no section on ./bench {name}" for name in sorted(set(names) - described))


def find_code_faults(name: str) -> Iterator[str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        module = load(name)
    if not module.__doc__:
        yield "no docstring"
    if printed.getvalue():
        yield "it prints when it is imported"
    if QUICK not in (FOLDER / f"{name}.py").read_text():
        yield "its arguments do not know --quick"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def find_page_faults(name: str, page: str) -> Iterator[str]:
    """In the section from its heading to the next."""
    found = re.search(rf"^## `\./bench {name}`.*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    section = found[0] if found else ""
    for what, pattern in {
        "table": r"^\|.*\d",
        "command": rf"^Command: `\./bench {name}",
        "machine": r"^Command: .*Machine: .*cores",
    }.items():
        if not re.search(pattern, section, re.MULTILINE):
            yield f"no {what} in the section on ./bench {name}"
