"""Where the article stands in a file of Kept's own export: what writes it and what reads it back must agree."""

from typing import Final

ARTICLE_BEGINS: Final = "<article>"
ARTICLE_ENDS: Final = "</article>"
