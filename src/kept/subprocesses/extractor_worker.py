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
    from kept.content.article.extract import Article, ExtractFailed

# Of the request's time, so that we still answer for a page on which Readability gives up.
READABILITY_SHARE: Final = 0.6
# A page may leave memory behind that no allocator gives back. On the corpus this process stays below 90 MB and
# its Node below 140 MB; a hostile page leaves several hundred.
RETIRE_BYTES: Final = 300 * 1024 * 1024


def main() -> None:
    output, sidecar = arm(), Sidecar(*map(Path, sys.argv[1:]))
    sidecar.launch()  # Node starts while we import: somebody may be waiting for this process
    gc.disable()
    from kept.subprocesses.extractor_codec import encode_outcome

    gc.enable()
    gc.freeze()  # what the imports made never goes: no need to look at it again
    serve(
        lambda request: encode_outcome(extract(request, sidecar)),
        lambda: resident_bytes(os.getpid()) + sidecar.resident_bytes > RETIRE_BYTES,
        output,
    )


def extract(request: Frame, sidecar: Sidecar) -> "Article | ExtractFailed":
    from kept.content.article.extract import ExtractFailed, build_article
    from kept.content.article.readable import COULD_NOT_BE_READ
    from kept.domain.failures import FailureCode
    from kept.subprocesses.extractor_codec import parse_page

    page, seconds = parse_page(request)
    try:
        return build_article(page, sidecar, seconds * READABILITY_SHARE)
    except Exception:  # an entry point: whatever went wrong with one page, the next one is waiting
        traceback.print_exc()
        return ExtractFailed(FailureCode.INGEST_FAILED, COULD_NOT_BE_READ, is_transient=True)


if __name__ == "__main__":
    main()
