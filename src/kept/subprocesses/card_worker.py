"""The card reader: `python -m kept.subprocesses.card_worker` reads the cards of hostile pages.

Run by `kept.subprocesses.card_pool`. What a page does to this process harms it alone. Imports nothing heavy: a save may
be waiting for it to start.
"""

import gc
import os
import traceback
from dataclasses import fields
from datetime import datetime
from typing import Final

from kept.content.page.card import PageCard, read_card
from kept.subprocesses.child import resident_bytes, serve
from kept.subprocesses.frames import Frame

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
    """By hand: pydantic's import takes longer than all else that this process does at its start."""
    metadata = {one.name: encode_value(getattr(card.metadata, one.name)) for one in fields(card.metadata)}
    return Frame({"metadata": metadata, "kind": card.verdict.kind.value, "reason": card.verdict.reason})


def encode_value(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


if __name__ == "__main__":
    main()
