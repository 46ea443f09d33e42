"""The first page of an exported folder: every item by library, articles by their files, the rest by their URLs."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Final
from urllib.parse import quote

from kept.domain.item import WEB_SCHEMES, Card
from kept.domain.library import Library

STYLE: Final = """
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 46rem; padding: 2rem 1.25rem 4rem }
li { margin: .35rem 0; overflow-wrap: anywhere } small { opacity: .65 }
"""
_STYLE_HASH: Final = b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY: Final = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'"
BEGINNING: Final = (
    "<!doctype html>\n<html>\n<head>\n"
    '<meta charset="utf-8">\n'
    f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta name="referrer" content="no-referrer">\n'
    f"<title>Kept</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>Kept</h1>\n"
)
LIST_END: Final = "</ul>\n"
END: Final = "</body>\n</html>\n"


def begin_list(library: Library) -> str:
    return f"<h2>{escape(library.name)}</h2>\n<ul>\n"


def write_entry(card: Card, file: str | None) -> str:
    item, title = card.item, escape(" ".join((card.title or card.item.url).split()))
    facts = [f"{item.created_at:%Y-%m-%d}", card.media.site_name, *(f"#{tag}" for tag in card.tags)]
    about = f" <small>{escape(' · '.join(fact for fact in facts if fact))}</small>"
    if file is not None:
        return f'<li><a href="{escape(quote(file))}">{title}</a>{about}</li>\n'
    if item.url.startswith(WEB_SCHEMES):
        return f'<li><a href="{escape(item.url)}" rel="noreferrer">{title}</a>{about}</li>\n'
    return f"<li>{title} ({escape(item.url)}){about}</li>\n"
