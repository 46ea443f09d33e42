"""The extractor: `python -m kept.subprocesses.extractor_worker NODE BUNDLE` turns hostile pages into articles.

Run by `kept.subprocesses.extractor_pool`. What a page does to this process harms it alone.
"""

import gc
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kept.subprocesses.child import arm, resident_bytes, serve
from kept.subprocesses.frames import Frame
from kept.subprocesses.sidecar import Sidecar

if TYPE_CHECKING:
    from kept.content.article.article import Article, ExtractFailed

# Of the request's time, so that we still answer for a page on which Readability gives up.
READABILITY_SHARE: Final = 0.6
# A page may leave memory behind that no allocator gives back. On the corpus this process stays below 90 MB and
# its Node below 140 MB; a hostile page leaves several hundred.
RETIRE_BYTES: Final = 300 * 1024 * 1024


def main() -> None:
    output, sidecar = arm(), Sidecar(*map(Path, sys.argv[1:]))
    sidecar.launch()  # Node starts while we import: somebody may be waiting for this process
    gc.disable()
    import kept.content.article.reading
    import kept.subprocesses.extractor_codec  # noqa: F401 what a page needs, before the first one comes

    gc.enable()
    gc.freeze()  # what the imports made never goes: no need to look at it again
    serve(
        lambda request: answer(request, sidecar),
        lambda: resident_bytes(os.getpid()) + sidecar.resident_bytes > RETIRE_BYTES,
        output,
    )


def answer(request: Frame, sidecar: Sidecar) -> Frame:
    from kept.subprocesses.extractor_codec import JOIN, encode_outcome

    return join(request) if JOIN in request.header else encode_outcome(extract(request, sidecar))


def join(request: Frame) -> Frame:
    from kept.content.article.article import join_pages
    from kept.subprocesses.extractor_codec import encode_joined, parse_pages

    try:
        return encode_joined(join_pages(parse_pages(request)))
    except Exception:  # as below
        traceback.print_exc()
        return encode_joined(None)


def extract(request: Frame, sidecar: Sidecar) -> "Article | ExtractFailed":
    from kept.content.article.article import ExtractFailed
    from kept.content.article.readable import COULD_NOT_BE_READ
    from kept.content.article.reading import read_page
    from kept.domain.failures import FailureCode
    from kept.subprocesses.extractor_codec import parse_page

    page, seconds = parse_page(request)
    try:
        return read_page(page, sidecar, seconds * READABILITY_SHARE)
    except Exception:  # an entry point: whatever went wrong with one page, the next one is waiting
        traceback.print_exc()
        return ExtractFailed(FailureCode.INGEST_FAILED, COULD_NOT_BE_READ, is_transient=True)


if __name__ == "__main__":
    main()
