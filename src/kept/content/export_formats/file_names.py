"""Names for files people download: good on every file system, whatever a page is called."""

import re
from typing import Final

from kept.domain.text import normalise

# File systems allow 255 bytes; what stands around a name (a number, an extension) needs some of them.
MAX_BYTES: Final = 120
MAX_CHARACTERS: Final = 80


def make_file_name(title: str, otherwise: str = "article") -> str:
    """Letters and digits of any script, words joined by hyphens. No dots, slashes or marks that turn text around."""
    words = re.sub(r"[\W_]+", "-", normalise(title, "NFC")).strip("-").lower()
    short = words[:MAX_CHARACTERS].encode("utf-8", "ignore")[:MAX_BYTES].decode("utf-8", "ignore")
    return short.strip("-") or otherwise
