"""Text as Markdown that shows it, in every common flavour of Markdown.

What could begin a tag or an entity becomes an entity: not all flavours know a backslash before `<`. Each piece of text
is judged alone, so that what stands at its border is escaped too: what follows may complete it.
"""

import re
from typing import Final

SPECIAL: Final = re.compile(r"[\\`*_\[\]]|~(?=~)|(?<=~)~|!\Z")
TAG: Final = re.compile(r"<(?=[A-Za-z/!?]|\Z)")
ENTITY: Final = re.compile(r"&(?=#?[0-9A-Za-z]{0,40}(?:;|\Z))")
BLOCK_START: Final = re.compile(r"(\s*)(#{1,6}(?=\s|\Z)|[-+](?=\s|\Z)|>|=+\s*\Z|-{2,}\s*\Z)")
NUMBER_START: Final = re.compile(r"(\s*\d{1,9})([.)](?=\s|\Z))")
SPACES: Final = re.compile(r"\s+")
UNSAFE_IN_LINK: Final = {ord(character): f"%{ord(character):02X}" for character in ' <>()\\"`|'}


def escape_markdown(text: str) -> str:
    """Escape a text of one line, or a piece of a line, as Markdown that shows it."""
    text = SPECIAL.sub(r"\\\g<0>", text)
    text = TAG.sub("&lt;", ENTITY.sub("&amp;", text))
    if match := BLOCK_START.match(text):
        return f"{match[1]}\\{text[match.end(1) :]}"
    if match := NUMBER_START.match(text):
        return f"{match[1]}\\{text[match.end(1) :]}"
    return text


def escape_line(text: str) -> str:
    return escape_markdown(SPACES.sub(" ", text).strip())


def escape_url(url: str) -> str:
    """Escape a URL for use between parentheses or angle brackets."""
    return ENTITY.sub("&amp;", SPACES.sub("", url).translate(UNSAFE_IN_LINK))
