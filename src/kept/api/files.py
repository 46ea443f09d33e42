"""HTTP responses with a file, and the headers by which nothing in it runs, whatever a browser takes it for."""

import asyncio
from collections.abc import AsyncIterator
from typing import BinaryIO, Final
from urllib.parse import quote

from fastapi import Response
from fastapi.responses import StreamingResponse

from kept.services.exporting.libraries import Export

CHUNK_BYTES: Final = 256 * 1024
# A browser's viewer of PDFs does not work in a sandbox; it runs nothing of the file.
PDF_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def disposition(name: str, *, is_shown: bool = False) -> str:
    """The value of `Content-Disposition`."""
    return f"{'inline' if is_shown else 'attachment'}; filename*=UTF-8''{quote(name)}"


def export_response(found: Export) -> Response:
    headers = {
        "Content-Disposition": disposition(found.name),
        # should a browser show it instead: no scripts, no frames, nothing from other hosts
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Cache-Control": "no-store",
    }
    return StreamingResponse(found.chunks, media_type=found.content_type, headers=headers)


async def iterate_file(file: BinaryIO) -> AsyncIterator[bytes]:
    with file:
        while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
            yield chunk
