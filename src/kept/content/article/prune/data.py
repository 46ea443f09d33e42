"""Tells data that scripts read: JSON that a page has in its text, hidden by a style sheet that we do not see."""

import re
from itertools import islice
from typing import Final

from kept.content.article.prune.tree import Block, ancestors, name_of
from kept.content.markup import tags

# A brace and a quoted name; or a bare name, where a number, another brace or a quotation follows. Not a bracket alone:
# editors write notes in them.
DATA: Final = re.compile(
    r"""\[?\s{0,20}\{\s{0,20}(?:["'][\w .:-]{1,60}["']\s{0,5}:|\w{1,60}\s{0,5}:\s{0,5}[\d"'{\[])"""
)
SHORTEST_DATA: Final = 40
# Here it is shown to the reader.
_SHOWN: Final = tags("pre code samp kbd blockquote")
_SHOWN_WITHIN: Final = "pre, code, samp, kbd"
_CODE: Final = re.compile(r"-(?:code|highlight|syntax|json|snippet|examples?|listing|source)-")
HIGHEST: Final = 6


def is_data(block: Block) -> bool:
    text = block.text
    if len(text) < SHORTEST_DATA or text[0] not in "{[" or not text.rstrip("; ").endswith(("}", "]")):
        return False
    return DATA.match(text) is not None and not is_code(block)


def is_code(block: Block) -> bool:
    if block.node.css_first(_SHOWN_WITHIN) is not None:
        return True
    around = (block.node, *islice(ancestors(block.node), HIGHEST))
    return any(node.tag in _SHOWN or _CODE.search(name_of(node)) is not None for node in around)
