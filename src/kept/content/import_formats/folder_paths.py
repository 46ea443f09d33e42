"""Folders that name their parent, as paths from the outermost in."""

from collections.abc import Iterable, Mapping
from typing import Final

from kept.domain.json import JsonObject, JsonValue

DEEPEST: Final = 64

FolderId = str | int


def build_paths(folders: Iterable[JsonObject]) -> dict[FolderId, tuple[str, ...]]:
    """By id. A folder whose parent is missing is an outermost one; a circle ends where it began."""
    by_id = {key: folder for folder in folders if isinstance(key := folder.get("id"), (str, int))}
    return {key: path_to(key, by_id) for key in by_id}


def find_path(paths: Mapping[FolderId, tuple[str, ...]], key: JsonValue) -> tuple[str, ...]:
    return paths.get(key, ()) if isinstance(key, (str, int)) else ()


def path_to(key: JsonValue, by_id: Mapping[FolderId, JsonObject]) -> tuple[str, ...]:
    path: list[str] = []
    seen: set[FolderId] = set()
    while isinstance(key, (str, int)) and key in by_id and key not in seen and len(seen) < DEEPEST:
        seen.add(key)
        name = by_id[key].get("name")
        if isinstance(name, str) and name.strip():
            path.append(name.strip())
        key = by_id[key].get("parentId")
    return tuple(reversed(path))
