"""Which way and how closely a text is written, told by its letters."""

import re
from typing import Final

# Chinese and Japanese: written without spaces between words. Korean has them.
_CJK: Final = re.compile("[\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_RTL: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LTR: Final = re.compile("[A-Za-z\u00c0-\u02af\u0370-\u058f\u1e00-\u1fff]")
# A text tells by its beginning which way it runs.
_LOOKED_AT: Final = 20_000


def is_cjk(character: str) -> bool:
    return _CJK.match(character) is not None


def is_rtl(character: str) -> bool:
    return _RTL.match(character) is not None


def runs_from_right_to_left(text: str) -> bool:
    beginning = text[:_LOOKED_AT]
    return len(_RTL.findall(beginning)) > len(_LTR.findall(beginning))
