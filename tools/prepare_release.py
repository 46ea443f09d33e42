"""Writes a version into every file that names it, and turns the changelog's "Unreleased" into its section.

`python3 tools/prepare_release.py VERSION DATE` changes the files; `--notes VERSION` prints that section alone.
Needs nothing but Python.
"""

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
CHANGELOG: Final = "CHANGELOG.md"
# file -> what stands before the version in it
VERSIONED: Final = {
    "src/kept/version.py": r'__version__ = "',
    "compose.yaml": r"image: \$\{KEPT_IMAGE:-kept:",
    "compose.scale.yaml": r"image: kept-(?:api|worker|render):",
    "README.md": r"dist/kept-",
    "docs/install.md": r"(?:kept-|kept:)",
    "docs/operating.md": r"(?:kept:|Kept/)",
    "deploy/helm/kept/Chart.yaml": r'(?:appV|v)ersion: "?',
    "deploy/helm/kept/README.md": r"kept:",
    "extension/manifest.json": r'"version": "',
    "deploy/quadlet/kept.container": r"Image=localhost/kept:",
}
VERSION: Final = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
UNRELEASED: Final = "## Unreleased\n"


class Refused(Exception):
    """What is wrong with the release that was asked for."""


def set_version(text: str, before: str, version: str) -> str:
    changed, count = re.subn(rf"({before}){VERSION.pattern}", rf"\g<1>{version}", text)
    if not count:
        raise Refused(f"nothing looks like {before}…")
    return changed


def release_section(text: str, version: str, date: str) -> str:
    """The changelog with everything that was unreleased under the version, and an empty "Unreleased" above it."""
    if find_section(text, version) is not None:
        raise Refused(f"{CHANGELOG} has a section {version} already")
    unreleased = find_section(text, "Unreleased")
    if not unreleased:
        raise Refused(f"{CHANGELOG} has nothing under Unreleased")
    return text.replace(UNRELEASED, f"{UNRELEASED}\n## {version} – {date}\n", 1)


def find_section(text: str, name: str) -> str | None:
    """What stands under a heading, without it; None if there is no such heading."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        if heading.split()[0] == name:
            return body.strip()
    return None


def prepare(root: Path, version: str, date: str) -> None:
    """Every file is made before the first is written."""
    if not VERSION.fullmatch(version):
        raise Refused(f"{version} is not a version such as 1.2.3 or 1.2.3rc1")
    changelog = (root / CHANGELOG).read_text(encoding="utf-8")
    made = {CHANGELOG: release_section(changelog, version, date)}
    for name, before in VERSIONED.items():
        made[name] = set_version((root / name).read_text(encoding="utf-8"), before, version)
    for name, text in made.items():
        (root / name).write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> None:
    match arguments:
        case ["--notes", version]:
            notes = find_section((ROOT / CHANGELOG).read_text(encoding="utf-8"), version)
            if notes is None:
                raise Refused(f"{CHANGELOG} has no section {version}")
            print(notes)
        case [version, date]:
            prepare(ROOT, version, date)
        case _:
            raise Refused("VERSION DATE, or --notes VERSION")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refused as error:
        sys.exit(f"kept: {error}")
