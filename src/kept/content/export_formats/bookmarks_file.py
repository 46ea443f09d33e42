"""Libraries as a Netscape bookmarks file, which every browser and most services read: one folder a library."""

from html import escape
from typing import Final

from kept.domain.item import WEB_SCHEMES, Card
from kept.domain.library import Library

# The policy is for whoever opens the file: it shows links, and nothing in it runs or loads.
BEGINNING: Final = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<META HTTP-EQUIV="Content-Security-Policy" CONTENT="default-src 'none'; base-uri 'none'; form-action 'none'">
<META NAME="referrer" CONTENT="no-referrer">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
"""
END: Final = "</DL><p>\n"
FOLDER_END: Final = "    </DL><p>\n"


def begin_folder(library: Library) -> str:
    since, changed = int(library.created_at.timestamp()), int(library.updated_at.timestamp())
    name = one_line(library.name)
    return f'    <DT><H3 ADD_DATE="{since}" LAST_MODIFIED="{changed}">{name}</H3>\n    <DL><p>\n'


def write_bookmark(card: Card) -> str:
    """Write a bookmark; a URL that is not of the web is written as text and never as a link."""
    item, title = card.item, one_line(card.title or card.item.url)
    note = f"        <DD>{escape(item.note)}\n" if item.note else ""
    if not item.url.startswith(WEB_SCHEMES):
        return f"        <DT>{title} ({one_line(item.url)})\n{note}"
    said = {
        "HREF": item.url,
        "ADD_DATE": str(int(item.created_at.timestamp())),
        "LAST_MODIFIED": str(int(item.updated_at.timestamp())),
        "TAGS": ",".join(card.tags),
        "TOREAD": "0" if card.reading.read_at else "1",
    }
    attributes = " ".join(f'{name}="{escape(value)}"' for name, value in said.items() if value)
    return f"        <DT><A {attributes}>{title}</A>\n{note}"


def one_line(text: str) -> str:
    return escape(" ".join(text.split()))
