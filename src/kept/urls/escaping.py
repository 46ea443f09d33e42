"""Path and query as they go over the wire: ASCII, escaped as browsers escape, dot segments resolved.

Escapes have one spelling (RFC 3986, 6.2.2): `%7E` is `~`, `%c3` is `%C3`. Reserved characters stay as they are: `%2F`
and `/` are different paths.
"""

import re
from typing import Final

# What the WHATWG URL standard escapes in the path, the query and the fragment of a URL, besides everything
# that is not ASCII.
PATH_ESCAPES: Final = re.compile(r"""[^!-~]|["#<>?`{}^]""")
QUERY_ESCAPES: Final = re.compile(r"""[^!-~]|["#<>']""")
FRAGMENT_ESCAPES: Final = re.compile(r"""[^!-~]|["<>`]""")

# Not after a stray percent sign, with which a decoded character would form a new escape: `%%37E` is not `%7E`.
ESCAPE: Final = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~-]")

STRAY_BYTE: Final = re.compile("[\udc80-\udcff]")
DOT_SEGMENT: Final = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
SINGLE_DOT: Final = re.compile(r"\.|%2e", re.IGNORECASE)
DOUBLE_DOT: Final = re.compile(r"(?:\.|%2e){2}", re.IGNORECASE)


def escape_path(path: str) -> str:
    return PATH_ESCAPES.sub(escape_match, resolve_dot_segments(normalise_escapes(path)))


def escape_query(query: str) -> str:
    return QUERY_ESCAPES.sub(escape_match, normalise_escapes(query))


def escape_fragment(fragment: str) -> str:
    """Escape a fragment; its own escapes stay as they are, since a script of the page may read them."""
    return FRAGMENT_ESCAPES.sub(escape_match, fragment)


def normalise_escapes(text: str) -> str:
    return ESCAPE.sub(normalise_escape, text) if "%" in text else text


def normalise_escape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if UNRESERVED.fullmatch(character) else match[0].upper()


def escape_match(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def escape_stray_bytes(text: str) -> str:
    """Escape header bytes that are not UTF-8 and arrived as surrogates (PEP 383)."""
    return STRAY_BYTE.sub(lambda match: f"%{ord(match[0]) - 0xDC00:02X}", text)


def resolve_dot_segments(path: str) -> str:
    """Resolve `/a/./b/../c` to `/a/c`; the result begins with a slash."""
    if not DOT_SEGMENT.search(path):
        return path or "/"
    segments = path.split("/")[1:]
    kept: list[str] = []
    for segment in segments:
        if DOUBLE_DOT.fullmatch(segment):
            del kept[-1:]
        elif not SINGLE_DOT.fullmatch(segment):
            kept.append(segment)
    if DOUBLE_DOT.fullmatch(segments[-1]) or SINGLE_DOT.fullmatch(segments[-1]):
        kept.append("")
    return "/" + "/".join(kept)
