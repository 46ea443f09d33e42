"""What an export is about: whose it is, of which libraries, and when it was made."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from kept.domain.account import Viewer
from kept.domain.library import Library
from kept.services.images.store import ImageStore


@dataclass(frozen=True, slots=True)
class ExportScope:
    store: ImageStore
    viewer: Viewer
    libraries: tuple[Library, ...]
    made_at: datetime
    on_items: Callable[[int], None]
    """Told how many items more are written."""
    base_url: str | None = None
    """Where people reach Kept, for links back to it."""
