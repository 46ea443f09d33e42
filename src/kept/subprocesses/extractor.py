"""The extractor: a child that turns hostile pages into articles, one frame at a time, until its stdin closes.

Run as `python -m kept.subprocesses.extractor` by `kept.subprocesses.pool`. What a page does to it harms it alone.
"""

import argparse
import gc
import os
import sys
import traceback
from pathlib import Path
from typing import Final

from kept.content.article.extract import Article, ExtractFailed, build_article
from kept.domain.failures import FailureCode
from kept.subprocesses.codec import encode_outcome, parse_page
from kept.subprocesses.frames import Frame, read_frame, send
from kept.subprocesses.process import arm, resident_bytes
from kept.subprocesses.sidecar import Sidecar

# Of the request's time, so that we still answer for a page on which Readability gives up.
READABILITY_SHARE: Final = 0.6
# A page may leave memory behind that no allocator gives back. On the corpus a child stays below 90 MB and
# its Node below 140 MB; a hostile page leaves several hundred.
RETIRE_BYTES: Final = 300 * 1024 * 1024


def main() -> None:
    options = parse_options()
    arm(options.memory)
    gc.freeze()  # what the imports made never goes: no need to look at it again
    sidecar = Sidecar(options.node, options.bundle)
    while (request := read_frame(sys.stdin.buffer)) is not None:
        send(sys.stdout.buffer, answer(request, sidecar))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="kept.subprocesses.extractor")
    parser.add_argument("--node", type=Path, required=True)
    parser.add_argument("--bundle", type=Path, required=True)
    parser.add_argument("--memory", type=int, required=True)
    return parser.parse_args()


def answer(request: Frame, sidecar: Sidecar) -> Frame:
    outcome = encode_outcome(extract(request, sidecar))
    retire = resident_bytes(os.getpid()) + sidecar.resident_bytes > RETIRE_BYTES
    return Frame({**outcome.header, "retire": retire}, outcome.body)


def extract(request: Frame, sidecar: Sidecar) -> Article | ExtractFailed:
    page, seconds = parse_page(request)
    try:
        return build_article(page, sidecar, seconds * READABILITY_SHARE)
    except Exception:  # an entry point: whatever went wrong with one page, the next one is waiting
        traceback.print_exc()
        return ExtractFailed(FailureCode.INGEST_FAILED, "The page could not be read.")


if __name__ == "__main__":
    main()
