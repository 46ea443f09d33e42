"""The files of an export of highlights as Markdown: one for each page, in the order in which pages were saved."""

import asyncio
from collections.abc import AsyncIterator

from kept.content.export_formats.file_names import make_file_name
from kept.content.export_formats.highlights_markdown import write_markdown
from kept.content.export_formats.zip_stream import Member
from kept.services.exporting.export_scope import ExportScope
from kept.services.exporting.iterate_highlights import iterate_highlights


async def highlight_entries(scope: ExportScope) -> AsyncIterator[Member]:
    """Named by title, as notes are; a name that was used before gets a number."""
    used: dict[str, int] = {}
    async for page in iterate_highlights(scope):
        name = make_file_name(page.title)
        used[name] = number = used.get(name, 0) + 1
        unique = name if number == 1 else f"{name}--{number}"
        text = await asyncio.to_thread(write_markdown, page)
        yield Member(f"{unique}.md", text.encode("utf-8", "replace"))
