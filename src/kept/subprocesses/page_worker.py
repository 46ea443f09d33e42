"""The page reader: `python -m kept.subprocesses.page_worker FILE OUTPUT` reads one page that somebody saved as a file.

Both are descriptors. Run by `kept.subprocesses.page_reader`, one process for each file. What the file does to this
process harms it alone.
"""

import os
import sys
import traceback
from collections.abc import Mapping
from typing import Any, Final

from kept.content.page.card import read_card
from kept.content.whole_page.page_file import (
    TOO_LARGE,
    TOO_MUCH_TEXT,
    BadPageFile,
    Document,
    PageFile,
    make_document,
    open_page_file,
    read_image,
)
from kept.content.whole_page.static_page import make_static_page
from kept.subprocesses.card_worker import encode_card
from kept.subprocesses.child import serve
from kept.subprocesses.frames import Frame

UTF_8: Final = "text/html; charset=utf-8"
UNREADABLE: Final = "The page could not be read."


class PageSession:
    """The file of this process, once it was opened."""

    def __init__(self, descriptor: int, output: int) -> None:
        self._descriptor, self._output = descriptor, output
        self._file: PageFile | None = None
        self._document: Document | None = None

    def answer(self, request: Frame) -> Frame:
        try:
            return self.work(request.header)
        except MemoryError:
            return refuse(BadPageFile(TOO_LARGE, is_too_large=True))
        except Exception:  # an entry point: whatever the file did, the upload ends with a reason
            traceback.print_exc()
            return refuse(BadPageFile(UNREADABLE))

    def work(self, asked: Mapping[str, Any]) -> Frame:
        if asked["do"] == "open":
            return self.open(asked)
        assert self._file is not None
        assert self._document is not None
        match asked["do"]:
            case "expand":
                return self.write(self._file.content)
            case "static":
                page = make_static_page(self._file, max_bytes=int(asked["max_bytes"]))
                return refuse(page) if isinstance(page, BadPageFile) else self.write(page.encode())
            case "document":
                header = {"base_url": self._document.base_url, "images": sorted(self._document.images)}
                return Frame(header, self._document.html.encode())
            case _:
                image = read_image(self._file, self._document, str(asked["url"]))
                return Frame({"found": image is not None}, image or b"")

    def open(self, asked: Mapping[str, Any]) -> Frame:
        max_bytes = int(asked["max_bytes"])
        with os.fdopen(self._descriptor, "rb", closefd=False) as stream:
            stream.seek(0)
            data = stream.read(max_bytes + 1)
        opened = open_page_file(data, str(asked["url"]), max_bytes=max_bytes)
        if isinstance(opened, BadPageFile):
            return refuse(opened)
        document = make_document(opened)
        html = document.html.encode()
        if len(html) > int(asked["max_document_bytes"]):
            return refuse(BadPageFile(TOO_MUCH_TEXT, is_too_large=True))
        self._file, self._document = opened, document
        card = encode_card(read_card(html[: int(asked["card_bytes"])], content_type=UTF_8, url=document.base_url))
        told = {"file": opened.kind.value, "digest": opened.digest, "is_expanded": opened.content != data}
        return Frame({**card.header, **told})

    def write(self, content: bytes) -> Frame:
        with os.fdopen(self._output, "wb", closefd=False) as stream:
            stream.seek(0)
            stream.truncate()
            stream.write(content)
        return Frame({"bytes": len(content)})


def refuse(bad: BadPageFile) -> Frame:
    return Frame({"unreadable": bad.reason, "is_too_large": bad.is_too_large})


def main() -> None:
    session = PageSession(int(sys.argv[1]), int(sys.argv[2]))
    serve(session.answer, lambda: False)


if __name__ == "__main__":
    main()
