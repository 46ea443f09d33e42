"""Folders that name their parent, as paths from the outermost in."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

DEEPEST: Final = 64


def build_paths(folders: Iterable[Mapping[str, Any]]) -> dict[Any, tuple[str, ...]]:
    """By id. A folder whose parent is missing is an outermost one; a circle ends where it began."""
    by_id = {folder["id"]: folder for folder in folders if isinstance(folder.get("id"), (str, int))}
    return {key: path_to(key, by_id) for key in by_id}


def path_to(key: Any, by_id: Mapping[Any, Mapping[str, Any]]) -> tuple[str, ...]:
    path: list[str] = []
    seen: set[Any] = set()
    while isinstance(key, (str, int)) and key in by_id and key not in seen and len(seen) < DEEPEST:
        seen.add(key)
        name = by_id[key].get("name")
        if isinstance(name, str) and name.strip():
            path.append(name.strip())
        key = by_id[key].get("parentId")
    return tuple(reversed(path))
