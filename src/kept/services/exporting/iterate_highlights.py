"""Every page in which the viewer marked something, with its highlights, each page once: what files of highlights are
written from. One page's highlights are in memory at a time."""

from collections.abc import AsyncIterator
from uuid import UUID

from kept.content.export_formats.highlighted_page import HighlightedPage
from kept.services.exporting.describe_highlights import describe_highlights
from kept.services.exporting.export_scope import ExportScope
from kept.services.exporting.iterate_export import iterate_export
from kept.services.exporting.read_highlights import read_highlights
from kept.storage.exports import Selection


async def iterate_highlights(scope: ExportScope) -> AsyncIterator[HighlightedPage]:
    written = set[UUID]()
    for library in scope.libraries:
        async for page in iterate_export(scope, library, Selection.HIGHLIGHTED):
            for card in page.cards:
                if card.media.id in written:
                    continue
                if len(scope.libraries) > 1:
                    written.add(card.media.id)
                if marked := await read_highlights(scope, card.media.id):  # or they were removed a moment ago
                    yield describe_highlights(card, marked, scope.base_url)
