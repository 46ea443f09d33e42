"""The files of an export, in a folder instead of an archive."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from kept.content.export_formats.zip_stream import Deflated, Member


async def export_folder(members: AsyncIterator[Member], folder: Path) -> None:
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    async for member in members:
        await asyncio.to_thread(_write_file, folder / member.name, member)


def _write_file(path: Path, member: Member) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.writelines(member.content.chunks() if isinstance(member.content, Deflated) else (member.content,))
