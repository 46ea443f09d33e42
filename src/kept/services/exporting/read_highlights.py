"""The viewer's own highlights of a media of the export, in the order of the text."""

from uuid import UUID

from kept.domain.highlight import Highlight
from kept.services.exporting.export_scope import ExportScope
from kept.storage import highlights


async def read_highlights(scope: ExportScope, media_id: UUID) -> list[Highlight]:
    found = await scope.store.database.read(highlights.list_of_media, scope.viewer.user_id, [media_id])
    return found.get(media_id, [])
