"""The card reader: `python -m kept.subprocesses.card_worker` reads the cards of hostile pages.

Run by `kept.subprocesses.card_pool`. What a page does to this process harms it alone. Imports nothing heavy: a save may
be waiting for it to start.
"""

import gc
import os
import traceback
from typing import Final

from kept.content.page.card import read_card
from kept.content.page.description import PageCard
from kept.subprocesses.child import resident_bytes, serve
from kept.subprocesses.frames import Frame
from kept.subprocesses.plain_values import as_json

# On the corpus this process stays below 60 MB; what stays above this after a hostile page is not given back.
RETIRE_BYTES: Final = 150 * 1024 * 1024


def main() -> None:
    gc.freeze()  # what the imports made never goes: no need to look at it again
    serve(answer, lambda: resident_bytes(os.getpid()) > RETIRE_BYTES)


def answer(request: Frame) -> Frame:
    header = request.header
    try:
        return encode_card(read_card(request.body, content_type=header["content_type"], url=header["url"]))
    except Exception:  # an entry point: whatever one page does, the next one is waiting
        traceback.print_exc()
        return Frame({"unread": True})


def encode_card(card: PageCard) -> Frame:
    return Frame({"metadata": as_json(card.metadata), "kind": card.verdict.kind.value, "reason": card.verdict.reason})


if __name__ == "__main__":
    main()
