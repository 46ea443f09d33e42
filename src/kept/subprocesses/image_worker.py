"""The image worker: `python -m kept.subprocesses.image_worker` decodes hostile images.

Run by `kept.subprocesses.image_pool`. What an image does to this process harms it alone.
"""

import os
import traceback
from collections.abc import Callable, Mapping
from typing import Final

from kept.content.images.cleaning import clean_image, convert_image
from kept.content.images.format import BadImage, CleanImage, Thumbnail
from kept.content.images.thumbnail import make_thumbnail
from kept.subprocesses.child import resident_bytes, serve
from kept.subprocesses.frames import Frame

# The largest image we decode is 160 MB; what stays above this afterwards is not given back.
RETIRE_BYTES: Final = 250 * 1024 * 1024


MAKERS: Final[Mapping[str, Callable[[bytes], CleanImage | Thumbnail | BadImage]]] = {
    "clean": clean_image,
    "thumbnail": make_thumbnail,
    "old_format": convert_image,
}


def main() -> None:
    serve(answer, lambda: resident_bytes(os.getpid()) > RETIRE_BYTES)


def answer(request: Frame) -> Frame:
    try:
        made = MAKERS[request.header["to"]](request.body)
    except Exception:  # an entry point: whatever one image does, the next one is waiting
        traceback.print_exc()
        made = BadImage.BROKEN
    match made:
        case CleanImage(data, kind):
            return Frame({"type": kind.value}, data)
        case Thumbnail(data=data, content_type=content_type):
            return Frame({"type": content_type}, data)
        case BadImage():
            return Frame({"bad": made.value})


if __name__ == "__main__":
    main()
