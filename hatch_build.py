"""What hatchling asks this project when it builds an sdist or a wheel: is the bundle there, and what is the README?"""

import re
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

BUNDLES: Final = (Path("src/kept/subprocesses/readability.bundle.cjs"), Path("src/kept/web/bundled/sources.sha256"))
# A link or an image of Markdown whose target is neither absolute nor within the page.
RELATIVE: Final = re.compile(r"(!?)(\[[^\]]*\])\((?!https?://|#|mailto:)([^)\s]+)\)")


class BundleHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # An editable install runs from this folder, where the bundle may be made later.
        if version == "editable":
            return
        for bundle in BUNDLES:
            if not (Path(self.root) / bundle).is_file():
                self.app.abort(f"kept: {bundle} is missing; make it with: cd js && npm ci && node bundle.mjs")


class ReadmeHook(MetadataHookInterface):
    """The README with absolute links and images: a package index shows it away from the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = metadata["urls"]["Repository"]
        metadata["readme"] = {"content-type": "text/markdown", "text": make_links_absolute(text, repository)}


def make_links_absolute(text: str, repository: str) -> str:
    def absolute(match: re.Match[str]) -> str:
        mark, label, path = match.groups()
        return f"{mark}{label}({repository}/{'raw' if mark else 'blob'}/main/{path})"

    return RELATIVE.sub(absolute, text)
