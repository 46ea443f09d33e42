"""Node and the bundle for tests that read real pages, and patience for processes to appear and go."""

from pathlib import Path
from uuid import UUID

import psutil
import pytest

from kept.content.article.article import Page
from kept.subprocesses.sidecar import BUNDLE, find_node

MEDIA_ID = UUID(int=42)
PARAGRAPH = (
    "<p>The council met on Tuesday to weigh a plan that would close the old bridge for two years, and the people "
    "of the valley came in numbers to say what they thought of it.</p>"
)
ARTICLE_HTML = f"<html><head><title>The bridge</title></head><body><article>{PARAGRAPH * 5}</article></body></html>"


def require_node() -> Path:
    node = find_node(None)
    if node is None:
        pytest.skip("NOT RUN: there is no Node on this machine")
    if not BUNDLE.is_file():
        pytest.skip("NOT RUN: the Readability bundle was not built (tools/setup.sh: ensure_bundle)")
    return node


def page(body: bytes | str = ARTICLE_HTML, url: str = "https://news.example/a") -> Page:
    return Page(body if isinstance(body, bytes) else body.encode(), url, MEDIA_ID)


def group_of(leader: int) -> list[int]:
    """The living members of a process group: a child of ours and whatever it started."""
    return [process.pid for process in psutil.process_iter() if is_in_group(process, leader)]


def is_in_group(process: psutil.Process, leader: int) -> bool:
    try:
        stat = Path(f"/proc/{process.pid}/stat").read_text()
        return int(stat.rpartition(")")[2].split()[2]) == leader and not is_dead(process)
    except (OSError, psutil.Error):
        return False


def is_dead(process: psutil.Process) -> bool:
    """A killed process is a zombie while its other threads still end; only then can its parent be told."""
    threads = len(list(Path(f"/proc/{process.pid}/task").iterdir()))
    return process.status() == psutil.STATUS_ZOMBIE and threads <= 1


def node_of(leader: int) -> int:
    """The Node of an extractor."""
    return next(pid for pid in group_of(leader) if pid != leader)
