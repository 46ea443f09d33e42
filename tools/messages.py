#!/usr/bin/env python3
"""Finds the texts of the pages in the source, and brings the catalogues in src/kept/web/locales/ up to date with them.

    .venv/bin/python tools/messages.py            # writes kept.pot, and adds what is new to each kept.po, untranslated
    .venv/bin/python tools/messages.py --check    # says what is missing, stale or wrong, and fails

Texts are marked: `_("…")` and its kin in templates and in `web/`, `t("…")` in scripts. Below the pages nothing is
marked: each sentence in the code there may become the message of an error. Its context in the catalogues is "message".
A value in it has a name (`%(most)s`); a message that is an f-string could not be found again, and is a fault.
"""

import ast
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

SOURCE: Final = Path(__file__).parents[1] / "src" / "kept"
LOCALES: Final = SOURCE / "web" / "locales"
KEYWORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("_", "gettext", "N_", "t")),
    "ngettext": (1, 2),
    "NN_": (1, 2),
    "pgettext": ((1, "c"), 2),
}
METHODS: Final = [
    ("templates/**.html", "jinja2.ext:babel_extract"),
    ("static/**.js", "javascript"),
    ("**.py", "python"),
]
OPTIONS: Final = {
    "templates/**.html": {"newstyle_gettext": "true", "trim_blocks": "true", "silent": "false"},
    "static/**.js": {"template_string": "false"},
}
MESSAGE: Final = "message"
BELOW: Final = ("domain", "urls", "content", "subprocesses", "fetch", "storage", "jobs", "services", "api")
# What whoever runs the server or writes a program is told: in English, on the command line, in logs and in the API.
NOT_ON_PAGES: Final = (
    "api/requests.py",
    "api/item_models.py",
    "api/openapi.py",
    "api/routes",
    "domain/lifecycle.py",
    "domain/paging.py",
    "services/accounts/users.py",
    "services/images",
    "services/ingesting/attempts.py",
    "services/pages/identity.py",
    "services/ingesting/retries.py",
    "services/maintenance",
    "services/requests",
    "storage/backup",
)
HOLE: Final = re.compile(r"%\((\w+)\)s")
SCRIPT_HOLE: Final = re.compile(r"\{(\w+)\}")
LIMITED: Final = re.compile(r"An? (?:title|excerpt|note|library's name|token's name)")
TAG: Final = re.compile(r"<[^<>]+>")

Found = tuple[str, int, str | tuple[str, ...], str | None]  # file, line, text or its forms, context


def find_texts() -> Iterator[Found]:
    """On the pages themselves."""
    web = SOURCE / "web"
    found = extract_from_dir(web, METHODS, OPTIONS, KEYWORDS, comment_tags=(), directory_filter=lambda path: True)
    for name, line, text, _, context in found:
        yield f"web/{name}", line, text, context


def find_messages() -> Iterator[Found]:
    """Sentences in the code below the pages, the docstrings of errors, and the labels of import formats."""
    for name, tree in read_below():
        yield from ((name, line, text, MESSAGE) for line, text in sentences_of(tree, name))


def read_below() -> Iterator[tuple[str, ast.Module]]:
    """The modules below the pages whose messages may be shown on one."""
    for path in sorted(path for folder in BELOW for path in (SOURCE / folder).rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(NOT_ON_PAGES) and "versions" not in path.parts:
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def sentences_of(tree: ast.Module, name: str) -> Iterator[tuple[int, str]]:
    if name == "domain/errors.py":
        classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
        yield from ((node.lineno, ast.get_docstring(node) or "") for node in classes if is_told(node))
    passed = docstrings_of(tree) | parts_of_formats(tree)
    for node in (node for node in ast.walk(tree) if node not in passed):
        yield from ((node.lineno, label) for label in labels_of(node))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and is_sentence(node.value):
            yield node.lineno, node.value


def is_told(node: ast.ClassDef) -> bool:
    return not any(isinstance(base, ast.Name) and base.id in {"Exception", "OperatorError", "DatabaseUnreachable"}
                   for base in node.bases) or node.name == "KeptError"  # fmt: skip


def labels_of(node: ast.AST) -> Iterator[str]:
    """What a file format is called, and what a limit is of: `A title`, to which the sentence is added elsewhere."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "FileReader":
        labels = [argument.value for argument in node.args[1:2] if isinstance(argument, ast.Constant)]
        yield from (label for label in labels if " " in label)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and LIMITED.fullmatch(node.value):
        yield node.value


def docstrings_of(tree: ast.Module) -> set[ast.AST]:
    return {
        statement.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }


def parts_of_formats(tree: ast.Module) -> set[ast.AST]:
    return {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}


def find_formatted() -> Iterator[str]:
    """Errors whose message is an f-string, in which a value has no name."""
    for name, tree in read_below():
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and tells_a_formatted(node.exc):
                yield f"{name}:{node.lineno}"


def tells_a_formatted(call: ast.Call) -> bool:
    ends = [told.values[-1] for told in call.args[:1] if isinstance(told, ast.JoinedStr)]
    return any(isinstance(end, ast.Constant) and str(end.value).endswith(".") for end in ends)


def is_sentence(text: str) -> bool:
    begins = text[:1].isupper() or text.startswith("%(")
    return begins and text.endswith(".") and text.count(" ") >= 2 and "\n" not in text


def make_template() -> Catalog:
    template = make_empty(None)
    # Without line numbers: those of every text would change with each edit of a file.
    for name, _, text, context in sorted(find_texts(), key=key_of) + sorted(find_messages(), key=key_of):
        template.add(text, locations=[(name, 0)], context=context)
    return template


def make_empty(locale: str | None) -> Catalog:
    """Without what changes each time: who wrote it and when is known to the repository."""
    nobody = {"project": "Kept", "version": "", "msgid_bugs_address": "", "last_translator": "", "language_team": ""}
    since = datetime(2026, 1, 1, tzinfo=UTC)
    dates = {"creation_date": since, "revision_date": since}
    return Catalog(locale=locale, header_comment="# The texts of Kept's pages.", fuzzy=False, **nobody, **dates)


def key_of(found: Found) -> tuple[str, int]:
    return found[0], found[1]


def path_of(folder: Path) -> Path:
    return folder / "LC_MESSAGES" / "kept.po"


def languages() -> list[Path]:
    return sorted(path for path in LOCALES.iterdir() if path.is_dir())


def read(folder: Path) -> Catalog:
    with path_of(folder).open("rb") as file:
        return read_po(file, locale=folder.name)


def write(path: Path, catalogue: Catalog) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=120, include_lineno=False, omit_header=False, ignore_obsolete=True)


def update() -> None:
    template = make_template()
    write(LOCALES / "kept.pot", template)
    for folder in languages():
        catalogue = read(folder) if path_of(folder).exists() else make_empty(folder.name)
        catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
        write(path_of(folder), catalogue)
        print(f"{folder.name}: {sum(not is_translated(message) for message in catalogue if message.id)} to translate")


def is_translated(message: Message) -> bool:
    return all(message.string) if isinstance(message.string, tuple | list) else bool(message.string)


def check(folder: Path, template: Catalog) -> Iterator[str]:
    """What is wrong with one catalogue."""
    catalogue = read(folder)
    wanted, there = {message_key(one) for one in template if one.id}, {message_key(one) for one in catalogue if one.id}
    yield from (f"missing: {text}" for text in sorted(map(str, wanted - there)))
    yield from (f"stale: {text}" for text in sorted(map(str, there - wanted)))
    for message in catalogue:
        if message.id:
            yield from (f"{fault}: {message.id}" for fault in faults_of(message, catalogue.num_plurals))


def message_key(message: Message) -> tuple[str | None, object]:
    return message.context, message.id


def faults_of(message: Message, plural_forms: int) -> Iterator[str]:
    if not is_translated(message):
        yield "untranslated"
        return
    if message.fuzzy:
        yield "fuzzy"
    sources = message.id if isinstance(message.id, tuple) else (message.id,)
    forms = message.string if isinstance(message.id, tuple) else (message.string,)
    if isinstance(message.id, tuple) and len(forms) != plural_forms:
        yield "wrong number of plural forms"
    for form in forms:
        yield from compare(sources, str(form))


def compare(sources: tuple[str, ...], form: str) -> Iterator[str]:
    """Values, markup and the ends must be those of the English text."""
    source = sources[-1]
    holes, script_holes = (sorted(set(pattern.findall(source))) for pattern in (HOLE, SCRIPT_HOLE))
    if sorted(set(HOLE.findall(form))) != holes or sorted(set(SCRIPT_HOLE.findall(form))) != script_holes:
        yield f"values differ in {form!r}"
    if "%" in HOLE.sub("", form).replace("%%", "") and holes:
        yield f"a lone % in {form!r}"
    if sorted(TAG.findall(source)) != sorted(TAG.findall(form)):
        yield f"markup differs in {form!r}"
    if '"' in TAG.sub("", form) and '"' not in TAG.sub("", source):
        yield f"a straight quote in {form!r}"
    if (source[:1].isspace(), source[-1:].isspace()) != (form[:1].isspace(), form[-1:].isspace()) and source.strip():
        yield f"white space at an end of {form!r}"


def main() -> int:
    if "--check" not in sys.argv[1:]:
        update()
        return 0
    template = make_template()
    faults = [f"{folder.name}: {fault}" for folder in languages() for fault in check(folder, template)]
    faults += [f"{place}: a message with a value that has no name" for place in find_formatted()]
    print("\n".join(faults) or "The catalogues are complete.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
