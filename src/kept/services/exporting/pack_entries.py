"""Files packed into a ZIP, chunk by chunk."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime

from kept.content.export_formats.zip_stream import Deflated, Member, ZipStream
from kept.services.exporting.open_spool import open_spool


async def pack_entries(made_at: datetime, members: AsyncIterator[Member]) -> AsyncIterator[bytes]:
    with open_spool() as directory:
        archive = ZipStream(directory, made_at)
        async for member in members:
            if isinstance(member.content, Deflated):
                for chunk in archive.add(member):
                    yield chunk
            else:  # compressing an article takes milliseconds, which belong to nobody else's request
                yield await asyncio.to_thread(b"".join, archive.add(member))
        for chunk in archive.end():
            yield chunk
