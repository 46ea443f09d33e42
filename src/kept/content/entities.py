"""Character references (`&amp;`, `&#228;`) in text that no parser has read. Only this module calls `html.unescape`."""

import re
from html import unescape
from typing import Final

# Python reads no number of more than 4,300 digits, leading zeros counted, and `unescape` raises what that raises.
_LEADING_ZEROS: Final = re.compile(r"&#0+(?=[0-9])")
_BEYOND_UNICODE: Final = re.compile(r"&#[1-9][0-9]{7,}+;?")


def decode_entities(text: str) -> str:
    """As browsers do; a number that is no character is U+FFFD."""
    if "&#" in text:
        text = _BEYOND_UNICODE.sub("\ufffd", _LEADING_ZEROS.sub("&#", text))
    return unescape(text) if "&" in text else text
