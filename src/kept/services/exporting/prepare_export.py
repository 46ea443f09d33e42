"""Begin an export: NotFound comes before the first byte."""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.services.exporting.choose_libraries import choose_libraries
from kept.services.exporting.export_scope import ExportScope
from kept.services.images.store import ImageStore


async def prepare_export(
    store: ImageStore,
    viewer: Viewer,
    library_id: UUID | None,
    now: datetime,
    on_items: Callable[[int], None] | None = None,
    base_url: str | None = None,
) -> ExportScope:
    """Without a library, of all the viewer can see."""
    found = await store.database.read(choose_libraries, viewer, library_id)
    return ExportScope(store, viewer, found, now, on_items or (lambda _: None), base_url)
