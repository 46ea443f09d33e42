"""What a file is called: by the header that came with it, or by its URL. Pure."""

from typing import Final
from urllib.parse import unquote, urlsplit

from kept.content.page.text_cleaning import clean_line, shorten

MAX_NAME: Final = 200
MAX_HEADER: Final = 2000
# A suffix is a few letters; what is longer belongs to the name ("report v1.final version").
MAX_SUFFIX: Final = 9


def find_file_name(url: str, content_disposition: str | None = None) -> str:
    """Without folders; empty where nothing tells."""
    said = parse_disposition((content_disposition or "")[:MAX_HEADER])
    return clean_name(said) or clean_name(unquote(urlsplit(url).path.rpartition("/")[2]))


def clean_name(name: str) -> str:
    """Of whatever a header, a URL or a form calls a file."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return shorten(clean_line(last[: 4 * MAX_NAME]), MAX_NAME)


def make_title(name: str) -> str | None:
    """The name without its suffix, for a file that has no title."""
    stem, dot, suffix = name.rpartition(".")
    named = stem if dot and 0 < len(suffix) <= MAX_SUFFIX and stem else name
    return " ".join(named.replace("_", " ").split()) or None


def parse_disposition(value: str) -> str:
    """`attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`: the second is meant for us where both are there."""
    found: dict[str, str] = {}
    for part in value.split(";")[1:]:
        name, equals, said = part.partition("=")
        if equals:
            found.setdefault(name.strip().lower(), said.strip().strip('"'))
    charset, _, extended = found.get("filename*", "").partition("''")
    if extended and charset.lower() == "utf-8":
        return unquote(extended)
    return unquote(found.get("filename", ""))
