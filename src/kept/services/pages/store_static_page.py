"""Make a static page of the file of a whole page, and store it."""

from uuid import UUID

from kept.domain.capture import HTML_TYPE, CaptureFormat
from kept.domain.errors import PageUnreadable, TooLarge
from kept.logs import structlog
from kept.services.pages.page_files import PageFiles
from kept.services.pages.store_capture_file import store_capture_file
from kept.storage.captures import NewCapture, capture_key
from kept.subprocesses.page_reader import PageReader

log = structlog.get_logger("kept.captures")


async def store_static_page(files: PageFiles, reader: PageReader, media_id: UUID) -> NewCapture | None:
    """Of a file that the reader has opened; None where it could not be made."""
    try:
        made = await reader.make_static()
    except (PageUnreadable, TooLarge) as error:
        log.warning("captures.no_static_page", media_id=str(media_id), reason=error.message)
        return None
    key = capture_key(media_id, "static.html")
    return await store_capture_file(files.blobs, key, made, CaptureFormat.HTML, HTML_TYPE)
