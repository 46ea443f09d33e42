"""A page's highlights as Markdown for note-taking programs such as Obsidian: properties at the top, then the quotes,
each with its note and a link back. Text of pages and people stays text: it makes no tags, links, comments or formulas.
"""

import json
import re
from datetime import datetime
from typing import Final

from kept.content.export_formats.highlighted_page import HighlightedPage
from kept.content.export_formats.markdown_escaping import escape_line, escape_url
from kept.domain.highlight import Highlight
from kept.domain.item import Card

URL: Final = re.compile(r"https?://[^\s<>]++")
URL_ENDS: Final = ".,;:!?)'\""
NOT_IN_TAG: Final = re.compile(r"[^\w/-]+")
# What these programs read beyond Markdown: a tag, and marks that come in pairs.
TAG: Final = re.compile(r"(?<!\S)#(?=\S)")
SECOND_OF_PAIR: Final = re.compile(r"(?<==)=|(?<=%)%")
NOT_FOUND: Final = "not found in this copy"


def write_markdown(page: HighlightedPage) -> str:
    quotes = "\n".join(write_highlight(page, highlight) for highlight in page.highlights)
    return f"{write_properties(page)}\n# {escape_text(page.title)}\n\n{write_source(page)}\n## Highlights\n\n{quotes}"


def write_properties(page: HighlightedPage) -> str:
    """YAML, of which a JSON string is one way to write a text."""
    card = page.card
    said = {
        "title": page.title,
        "url": card.item.url,
        "author": card.media.byline,
        "site": card.media.site_name,
        "published": day_of(card.media.published_at),
        "saved": day_of(card.item.created_at),
        "kept": page.read_url,
    }
    lines = [f"{name}: {write_text(text)}" for name, text in said.items() if text]
    tags = [f"  - {write_text(tag)}" for tag in list_tags(card)]
    return "\n".join(["---", *lines, *(["tags:", *tags] if tags else []), "---", ""])


def write_text(text: str) -> str:
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def day_of(moment: datetime | None) -> str | None:
    return f"{moment:%Y-%m-%d}" if moment else None


def list_tags(card: Card) -> list[str]:
    """A tag has no spaces in these programs."""
    return [tag for tag in (NOT_IN_TAG.sub("-", tag).strip("-") for tag in card.tags) if tag]


def write_source(page: HighlightedPage) -> str:
    card = page.card
    author = " · ".join(part for part in (card.media.byline, card.media.site_name) if part)
    parts = [escape_text(author), f"<{escape_url(card.item.url)}>", " ".join(f"#{tag}" for tag in list_tags(card))]
    return "".join(f"{part}  \n" for part in parts if part)


def write_highlight(page: HighlightedPage, highlight: Highlight) -> str:
    parts = [write_quote(highlight.quote.exact), *([write_note(highlight.note)] if highlight.note else [])]
    return "\n".join([*parts, write_details(page, highlight)])


def write_quote(text: str) -> str:
    lines = keep_breaks([escape_text(line) for line in text.splitlines()])
    return "\n".join(f"> {line}" if line else ">" for line in lines) + "\n"


def write_note(text: str) -> str:
    return "\n".join(keep_breaks([escape_with_links(line) for line in text.splitlines()])) + "\n"


def keep_breaks(lines: list[str]) -> list[str]:
    """With two spaces at its end a line stays apart from the next."""
    return [f"{line}  " if line and after else line for line, after in zip(lines, [*lines[1:], ""], strict=True)]


def write_details(page: HighlightedPage, highlight: Highlight) -> str:
    link = page.link_to(highlight)
    parts = [f"[Open in Kept]({escape_url(link)})"] if link else []
    parts += [highlight.colour, f"{highlight.created_at:%Y-%m-%d}", *([] if highlight.span else [NOT_FOUND])]
    return f"— {' · '.join(parts)}\n"


# --- text ---------------------------------------------------------------------------------------------------------


def escape_text(text: str) -> str:
    escaped = TAG.sub(r"\\#", escape_line(text)).replace("$", r"\$")
    return SECOND_OF_PAIR.sub(lambda found: f"&#{ord(found[0])};", escaped)


def escape_with_links(line: str) -> str:
    """URLs in it are links."""
    parts, end = list[str](), 0
    for found in URL.finditer(line):
        url = found[0].rstrip(URL_ENDS)
        parts += [escape_piece(line[end : found.start()]), f"<{escape_url(url)}>"]
        end = found.start() + len(url)
    return "".join([*parts, escape_piece(line[end:])]).strip()


def escape_piece(text: str) -> str:
    """Spaces at its ends stay: a link stands beside it."""
    before, after = " " * (text[:1].isspace()), " " * (text[-1:].isspace())
    return f"{before}{escape_text(text)}{after}" if text.strip() else before
