"""Checks that the docs name only what exists: files, functions, links; and that a walk opens each file once.

`python3 tools/check_docs.py`, without any environment. Two ways of naming functions are understood:

    12  services/saving/links.py    save_link          a stop of a walk in a code block, two spaces or more between
    `services/saving/links.py` (`save_link`)           in a text or a table
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Where a path in the docs may begin.
PLACES = tuple(ROOT / place for place in ("", "src/kept", "src", "tests", "tests/integration", "docs", "js"))
# Made by tools/setup.sh, and so not in the repository.
BUILT = frozenset({"src/kept/subprocesses/readability.bundle.cjs"})
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

PATH = re.compile(r"(?<![\w./<>:-])((?:[\w.-]+/)+[\w.-]*\w\.(?:py|mjs|js|md|sh|html|css|toml|yaml|json|service))\b")
BARE = re.compile(r"`([\w-]+\.py)`")
MODULE = re.compile(r"\bkept(?!\.example)(?:\.\w+){2,}")
STOP = re.compile(r"\b(\d+)  ?((?:[\w-]+/)*[\w-]+\.(?:py|mjs))\s{2,}([\w., ]+)$")
NAMED = re.compile(r"`((?:[\w-]+/)*[\w-]+\.py)` \(((?:`[\w.]+`(?:, )?)+)\)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def find(path: str) -> Path | None:
    return next((place / path for place in PLACES if (place / path).is_file()), None)


@cache
def names_in(file: Path) -> frozenset[str]:
    """Functions, classes, methods and constants; in a script, every word."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        return frozenset(re.findall(r"\w+", text))
    return frozenset(list_names(ast.parse(text).body))


def list_names(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield prefix + name
            case ast.ClassDef(name=name):
                yield prefix + name
                yield from list_names(node.body, f"{prefix}{name}.")
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield prefix + name
            case ast.Assign(targets=targets):
                yield from (prefix + target.id for target in targets if isinstance(target, ast.Name))


def check_names(path: str, names: list[str]) -> Iterator[str]:
    file = find(path)
    if file is None:
        yield f"there is no {path}"
        return
    yield from (f"{path} has no {name}" for name in names if name not in names_in(file))


def check_paths(text: str) -> Iterator[str]:
    for path in PATH.findall(re.sub(r"https?://\S+", "", text)):
        if path not in BUILT and find(path) is None:
            yield f"there is no {path}"
    for name in BARE.findall(text):
        if name not in list_file_names():
            yield f"there is no {name} anywhere"
    for module in MODULE.findall(text):
        if not is_module(module):
            yield f"there is no {module}"


@cache
def list_file_names() -> frozenset[str]:
    return frozenset(file.name for place in ("src", "tests", "tools") for file in (ROOT / place).rglob("*.py"))


def is_module(name: str) -> bool:
    """A package, a module, or a name in a module."""
    path = ROOT / "src" / name.replace(".", "/")
    return path.is_dir() or any(file.with_suffix(".py").is_file() for file in (path, path.parent))


def check_functions(text: str) -> Iterator[str]:
    for path, names in NAMED.findall(text):
        yield from check_names(path, re.findall(r"[\w.]+", names))
    for line in text.splitlines():
        stop = STOP.search(line)
        if stop is not None:
            yield from check_names(stop[2], stop[3].replace(",", " ").split())


def check_walks(text: str) -> Iterator[str]:
    """Within a section, the stops of a walk are numbered one by one and name each file once."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE):
        stops = [stop for line in section.splitlines() if (stop := STOP.search(line))]
        paths = [stop[2] for stop in stops]
        title = section.partition("\n")[0]
        yield from (f"{title}: {path} twice" for path in sorted({path for path in paths if paths.count(path) > 1}))
        if [int(stop[1]) for stop in stops] != list(range(1, len(stops) + 1)):
            yield f"{title}: the stops are not numbered from 1 on"


def check_links(page: Path, text: str) -> Iterator[str]:
    for target in LINK.findall(CODE_BLOCK.sub("", text)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"a link leads to {target}, which is not there"
        elif anchor and anchor not in anchors_of(file):
            yield f"{target}: there is no such heading"


def check_index(page: Path, text: str) -> Iterator[str]:
    """The index of the decisions names each of them."""
    if page.parent.name == "decisions" and page.name == "README.md":
        files = sorted(file.name for file in page.parent.glob("0*.md"))
        yield from (f"{name} is not in the index" for name in files if f"({name})" not in text)


@cache
def anchors_of(file: Path) -> frozenset[str]:
    headings = HEADING.findall(CODE_BLOCK.sub("", file.read_text(encoding="utf-8")))
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)


def check_page(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    named = [*check_paths(text), *check_functions(text), *check_walks(text)]
    found = [*named, *check_links(page, text), *check_index(page, text)]
    return [f"{page.relative_to(ROOT)}: {fault}" for fault in dict.fromkeys(found)]


def check_all() -> list[str]:
    return [fault for page in PAGES for fault in check_page(page)]


if __name__ == "__main__":
    faults = check_all()
    print("\n".join(faults) or f"{len(PAGES)} pages name nothing that is not there")
    sys.exit(bool(faults))
