"""Whether a built site asks other hosts for anything: `python3 tools/check_site.py FOLDER`. Needs nothing but Python.

Links that a reader may follow lead anywhere; what a browser loads by itself (scripts, styles, images, frames, fonts)
must come from the site.
"""

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

LOADING: Final = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "input": ("src",),
    "use": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
}
# Relations of <link> that are only said, and not fetched.
SAID_ONLY: Final = {"canonical", "next", "prev", "author", "license", "alternate", "help"}
FOREIGN: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
IN_STYLE: Final = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)


class Loads(HTMLParser):
    """The foreign URLs that a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.is_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        self.is_style = tag == "style"
        names = LOADING.get(tag, ())
        if tag == "link" and not set(said.get("rel", "").lower().split()) <= SAID_ONLY:
            names = ("href", "imagesrcset")
        for name in names:
            self.found += [url for url in said.get(name, "").replace(",", " ").split() if FOREIGN.match(url)]
        self.found += IN_STYLE.findall(said.get("style", ""))

    def handle_data(self, data: str) -> None:
        if self.is_style:
            self.found += IN_STYLE.findall(data)


def find_in_page(text: str) -> list[str]:
    parser = Loads()
    parser.feed(text)
    return parser.found


def find_foreign(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".html", ".css"}:
            continue
        text = path.read_text(encoding="utf-8")
        found = find_in_page(text) if path.suffix == ".html" else IN_STYLE.findall(text)
        yield from (f"{path.relative_to(folder)} loads {url}" for url in dict.fromkeys(found))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    pages = len(list(folder.rglob("*.html")))
    faults = list(find_foreign(folder))
    print("\n".join(faults) or f"{pages} pages load nothing from another host")
    sys.exit(bool(faults) or not pages)
