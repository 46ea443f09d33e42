"""Images for the API and the worker: untrusted bytes become images that may be served, or a reason why not."""

from typing import Final, Literal, Self

from kept.config import Settings
from kept.content.images.format import SERVED, BadImage, CleanImage, ImageFormat, sniff_image
from kept.subprocesses.codec import FAILED, checked
from kept.subprocesses.frames import Frame
from kept.subprocesses.pool import ProcessPool
from kept.subprocesses.process import WORKERS, ProcessLost, WorkerProgram

IDLE_SECONDS: Final = 60.0


class ImagePool:
    """Decodes images in killable child processes. There is one per process, used from one event loop."""

    def __init__(self, *, processes: int, seconds: float, memory_bytes: int) -> None:
        program = WorkerProgram(WORKERS, memory_bytes, ("images",))
        self._pool: Final = ProcessPool(program.start, processes=processes, idle_seconds=IDLE_SECONDS)
        self._seconds: Final = seconds

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            processes=settings.image_processes,
            seconds=settings.limits.image_decode_seconds,
            memory_bytes=settings.limits.image_memory_bytes,
        )

    async def clean(self, data: bytes) -> CleanImage | BadImage:
        """Return the image as it was if it is plain, and drawn anew if it is odd."""
        return await self._make("clean", data)

    async def shrink(self, data: bytes) -> CleanImage | BadImage:
        """Return a small WebP for a card."""
        return await self._make("thumbnail", data)

    async def convert(self, data: bytes) -> CleanImage | BadImage:
        """Return PNG or JPEG, for readers that know no newer format."""
        return await self._make("old_format", data)

    async def close(self) -> None:
        await self._pool.close()

    async def _make(self, to: Literal["clean", "thumbnail", "old_format"], data: bytes) -> CleanImage | BadImage:
        if sniff_image(data) is None:  # most data that is no image never reaches a process
            return BadImage.NOT_AN_IMAGE
        try:
            return await self._pool.ask(Frame({"to": to}, data), parse_answer, seconds=self._seconds)
        except (TimeoutError, ProcessLost):
            return BadImage.BROKEN


@checked
def parse_answer(frame: Frame) -> CleanImage | BadImage:
    """Check that the bytes are of a type we serve: a process that ran hostile bytes is not believed."""
    if FAILED in frame.header:
        return BadImage(frame.header[FAILED])
    kind = ImageFormat(frame.header["type"])
    if kind not in SERVED or sniff_image(frame.body) is not kind:
        raise ValueError("an image that is not what it is called")
    return CleanImage(frame.body, kind)
