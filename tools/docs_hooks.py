"""What mkdocs asks this project while it builds the site (mkdocs.yaml: hooks): pages from outside docs/, their links.

The README, the changelog and the like stay where people look for them in a repository; in the site they are pages too.
The API reference is written from the OpenAPI document.
"""

import json
import re
import sys
import tempfile
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).resolve().parent.parent
# page of the site -> file of the repository
FROM_ROOT: Final = {
    "index.md": "README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security-policy.md": "SECURITY.md",
    "code-of-conduct.md": "CODE_OF_CONDUCT.md",
}
PAGE_OF: Final = {name: page for page, name in FROM_ROOT.items()}
LINK: Final = re.compile(r"(\]\()(?!https?://|#|mailto:)([^)\s#]+)(#[^)\s]*)?(\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for page, name in FROM_ROOT.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    icon = ROOT / "src/kept/web/static/kept.svg"
    files.append(File.generated(config, "images/kept.svg", abs_src_path=str(icon)))
    document = make_openapi()
    sys.path.insert(0, str(Path(__file__).parent))
    from api_reference import write_reference

    files.append(File.generated(config, "api-reference.md", content=write_reference(document)))
    files.append(File.generated(config, "openapi.json", content=json.dumps(document, indent=1)))
    return files


def make_openapi() -> dict[str, Any]:
    from kept.asgi import create_app
    from kept.config import Settings

    with tempfile.TemporaryDirectory() as folder:
        return create_app(Settings(data_dir=Path(folder))).openapi()


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    path = page.file.src_uri
    source = PurePosixPath(FROM_ROOT.get(path, f"docs/{path}"))
    return LINK.sub(lambda match: match[1] + place_link(source, path, match[2]) + (match[3] or "") + match[4], markdown)


def place_link(source: PurePosixPath, page: str, target: str) -> str:
    """A link in a file of the repository, as it must be in a page of the site."""
    meant = resolve(source.parent / target)
    if meant in PAGE_OF:
        return relative(PAGE_OF[meant], page)
    if meant.startswith("docs/"):
        return relative(meant.removeprefix("docs/"), page)
    # Code and settings are not pages: they are looked up in the repository.
    return f"{repository_url()}/blob/main/{meant}" if (ROOT / meant).exists() else target


def resolve(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def relative(target: str, page: str) -> str:
    return "../" * page.count("/") + target


def repository_url() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"])
