"""The files of a folder export, in a folder instead of an archive."""

import asyncio
from pathlib import Path

from kept.content.export_formats.zip_stream import Deflated, Member
from kept.services.exporting.export_scope import ExportScope
from kept.services.exporting.folder_entries import folder_entries


async def export_folder(scope: ExportScope, folder: Path) -> None:
    async for member in folder_entries(scope):
        await asyncio.to_thread(_write_file, folder / member.name, member)


def _write_file(path: Path, member: Member) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.writelines(member.content.chunks() if isinstance(member.content, Deflated) else (member.content,))
