"""Reads marks of highlights back from marked markup, without the map that wrote them."""

import re
from collections import defaultdict
from typing import Final
from uuid import UUID

from kept.content.article.canonical import canonical_text
from kept.content.article.safe_html import SafeHtml
from kept.domain.highlight import Span

# Characters no article here has: the text is made with them in it, and says where they are.
START: Final = "\ue000"
END: Final = "\ue001"
_TOKEN: Final = re.compile(
    r'<mark(?: id="h-[0-9a-f-]+")? data-highlight="([^"]+)"[^>]*>|<(/?)mark(?: [^>]*)?>|<[^>]*>|[^<]+'
)


def read_marks(marked: str) -> dict[UUID, Span]:
    """Where each highlight begins and ends in the canonical text."""
    return {id: find_between(*cut_out(marked, id)) for id in pieces_of(marked)}


def remove_marks(marked: str) -> str:
    return "".join(token for token, _, is_ours in walk(marked) if not is_ours)


def pieces_of(marked: str) -> dict[UUID, list[str]]:
    """The text in each mark of a highlight, as it stands in the markup."""
    found = defaultdict(list)
    for token, ids, _ in walk(marked):
        if not token.startswith("<"):
            for id in ids:
                found[id].append(token)
    return dict(found)


def cut_out(marked: str, id: UUID) -> tuple[str, str, str]:
    """What stands before, in and after the highlight, without any marks."""
    tokens = [(token, id in ids) for token, ids, is_ours in walk(marked) if not is_ours]
    first = next(index for index, (_, is_in) in enumerate(tokens) if is_in)
    last = max(index for index, (_, is_in) in enumerate(tokens) if is_in)
    texts = [token for token, _ in tokens]
    return "".join(texts[:first]), "".join(texts[first : last + 1]), "".join(texts[last + 1 :])


def find_between(before: str, inside: str, after: str) -> Span:
    html = SafeHtml.admit(before + START + inside + END + after)
    assert html is not None
    text = str(canonical_text(html))
    return Span(text.index(START), text.index(END) - 1)


def walk(marked: str) -> list[tuple[str, tuple[UUID, ...], bool]]:
    """Each tag and text, the highlights it is in (for text), and whether it is a tag of a highlight."""
    walked: list[tuple[str, tuple[UUID, ...], bool]] = []
    open_marks: list[UUID | None] = []
    for token in _TOKEN.finditer(marked):
        is_ours = False
        if token[1]:
            open_marks.append(UUID(token[1]))
            is_ours = True
        elif token[2] == "/":
            is_ours = open_marks.pop() is not None
        elif token[2] == "":
            open_marks.append(None)
        ids = tuple(id for id in open_marks if id is not None) if not token[0].startswith("<") else ()
        walked.append((token[0], ids, is_ours))
    assert not open_marks
    return walked
