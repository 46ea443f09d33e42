"""The picture maker: a child that decodes hostile pictures, one frame at a time, until its stdin closes.

Run as `python -m kept.subprocesses.pictures` by `kept.subprocesses.picture_pool`. What a picture does harms it alone.
"""

import argparse
import os
import sys
import traceback
from typing import Final

from kept.content.images.cleaning import CleanImage, clean_image, convert_image
from kept.content.images.thumbnail import BadImage, Thumbnail, make_thumbnail
from kept.subprocesses.frames import Frame, read_frame, send
from kept.subprocesses.process import arm, resident_bytes

# The largest picture we decode is 160 MB; what stays above this afterwards is not given back.
RETIRE_BYTES: Final = 250 * 1024 * 1024


def main() -> None:
    parser = argparse.ArgumentParser(prog="kept.subprocesses.pictures")
    parser.add_argument("--memory", type=int, required=True)
    arm(parser.parse_args().memory)
    while (request := read_frame(sys.stdin.buffer)) is not None:
        send(sys.stdout.buffer, answer(request))


def answer(request: Frame) -> Frame:
    made = make(request)
    retire = resident_bytes(os.getpid()) > RETIRE_BYTES
    match made:
        case CleanImage(data, kind):
            return Frame({"type": kind.value, "retire": retire}, data)
        case Thumbnail(data=data, content_type=content_type):
            return Frame({"type": content_type, "retire": retire}, data)
        case BadImage():
            return Frame({"bad": made.value, "retire": retire})


def make(request: Frame) -> CleanImage | Thumbnail | BadImage:
    try:
        match request.header["to"]:
            case "thumbnail":
                return make_thumbnail(request.body)
            case "old_format":
                return convert_image(request.body)
            case _:
                return clean_image(request.body)
    except (Exception, MemoryError):  # an entry point: whatever one picture does, the next one is waiting
        traceback.print_exc()
        return BadImage.BROKEN


if __name__ == "__main__":
    main()
