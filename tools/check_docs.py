"""Checks that the docs, and the docstrings and comments of src/kept, name only what exists: files, functions, links.

`python3 tools/check_docs.py`, without any environment. A function is named behind its file in the docs,
`services/saving/links.py` (`save_link`), and by its name alone in the source: `save_link`.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Where a path in the docs may begin.
PLACES = tuple(
    ROOT / place for place in ("", "src/kept", "src", "tests", "tests/integration", "docs", "docs/decisions", "js")
)
# Made by tools/setup.sh, and so not in the repository.
BUILT = frozenset({"src/kept/subprocesses/readability.bundle.cjs"})
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SOURCE = ROOT / "src" / "kept"
# Without the migrations, which tell of the code as it was.
SOURCES = sorted(file for file in SOURCE.rglob("*.py") if file.parent.name != "versions")
# Ends like a file, and is a package.
NO_FILES = frozenset({"sqlean.py"})

PATH = re.compile(r"(?<![\w./<>:-])((?:[\w.-]+/)+[\w.-]*\w\.(?:py|mjs|js|md|sh|html|css|toml|yaml|json|service))\b")
# Several files of a folder, as the shell writes them: urls/{url,host}.py
SEVERAL = re.compile(r"((?:[\w-]+/)+)\{([\w,\s-]+)\}\.py")
BARE = re.compile(r"`([\w-]+\.py)`")
MODULE = re.compile(r"\bkept(?!\.example)(?:\.\w+){2,}")
WALK = re.compile(r"^<!-- walk: .*?^<!-- end of walk -->$", re.MULTILINE | re.DOTALL)
BARE_IN_SOURCE = re.compile(r"(?<![\w./-])\w+\.py\b")
NAME_IN_SOURCE = re.compile(r"`(\w*[a-z]_\w+|_\w+|[A-Z]\w*[a-z][A-Z]\w*)`")
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
    several = [f"{folder}{name}.py" for folder, names in SEVERAL.findall(text) for name in re.split(r",\s*", names)]
    for path in [*PATH.findall(re.sub(r"https?://\S+", "", text)), *several]:
        if path not in BUILT and find(path) is None:
            yield f"there is no {path}"
    for name in BARE.findall(text):
        if name not in list_file_names():
            yield f"there is no {name} anywhere"
    for module in MODULE.findall(text):
        if not is_module(module):
            yield f"there is no {module}"


def check_walks(text: str) -> Iterator[str]:
    """In the lists that tools/walk.py writes, a name without a folder is that of a file in src/kept itself."""
    for name in BARE_IN_SOURCE.findall(" ".join(WALK.findall(text))):
        if not (SOURCE / name).is_file():
            yield f"there is no {name}"


@cache
def list_file_names() -> frozenset[str]:
    return frozenset(
        file.name for place in ("src", "tests", "benchmarks", "tools") for file in (ROOT / place).rglob("*.py")
    )


def is_module(name: str) -> bool:
    """A package, a module, or a name in a module."""
    path = ROOT / "src" / name.replace(".", "/")
    return path.is_dir() or any(file.with_suffix(".py").is_file() for file in (path, path.parent))


def check_functions(text: str) -> Iterator[str]:
    for path, names in NAMED.findall(text):
        yield from check_names(path, re.findall(r"[\w.]+", names))


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
    named = [*check_paths(text), *check_walks(text), *check_functions(text)]
    found = [*named, *check_links(page, text), *check_index(page, text)]
    return [f"{page.relative_to(ROOT)}: {fault}" for fault in dict.fromkeys(found)]


def check_source(file: Path) -> list[str]:
    found = check_prose(file, "\n".join(list_prose(file.read_text(encoding="utf-8"))))
    return [f"{file.relative_to(ROOT)}: {fault}" for fault in dict.fromkeys(found)]


def list_prose(source: str) -> list[str]:
    """Docstrings and comments."""
    return split_source(source)[0]


@cache
def split_source(source: str) -> tuple[list[str], str]:
    """Docstrings and comments; and the code without them."""
    prose, code = [], []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_docstring = token.type == tokenize.STRING and token.line.lstrip().startswith('"""')
        (prose if is_docstring or token.type == tokenize.COMMENT else code).append(token.string)
    return prose, " ".join(code)


def check_prose(file: Path, prose: str) -> Iterator[str]:
    """A path may begin at one of `PLACES` or in a folder above the file; a name alone is of a file in one of these."""
    folders = [folder for folder in file.parents if folder.is_relative_to(SOURCE)]
    for path in [*PATH.findall(re.sub(r"https?://\S+", "", prose)), *BARE_IN_SOURCE.findall(prose)]:
        is_near = any((folder / path).is_file() for folder in folders)
        if not is_near and path not in NO_FILES and ("/" not in path or find(path) is None):
            yield f"there is no {path}"
    yield from (f"there is no {module}" for module in MODULE.findall(prose) if not is_module(module))
    yield from (f"there is no {name}" for name in NAME_IN_SOURCE.findall(prose) if name not in words_in_source())


@cache
def words_in_source() -> frozenset[str]:
    """What the code says, docstrings and comments apart; and the names of files and folders."""
    texts = [file.read_text(encoding="utf-8") for file in SOURCES]
    words = {word for text in texts for word in re.findall(r"\w+", split_source(text)[1])}
    return frozenset(words | {path.stem for path in SOURCE.rglob("*")})


def check_all() -> list[str]:
    of_pages = [fault for page in PAGES for fault in check_page(page)]
    return of_pages + [fault for file in SOURCES for fault in check_source(file)]


if __name__ == "__main__":
    faults = check_all()
    print("\n".join(faults) or f"{len(PAGES)} pages and {len(SOURCES)} files name nothing that is not there")
    sys.exit(bool(faults))
