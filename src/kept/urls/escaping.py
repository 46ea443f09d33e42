"""Path and query as they go over the wire: ASCII, escaped the way browsers escape, dot segments resolved."""

import re
from typing import Final

# What the WHATWG URL standard escapes in the path and in the query of a URL, besides everything
# that is not ASCII. What is escaped already stays as it is: `%2F` and `/` are different paths.
PATH_ESCAPES: Final = re.compile(r"""[^!-~]|["#<>?`{}^]""")
QUERY_ESCAPES: Final = re.compile(r"""[^!-~]|["#<>']""")

STRAY_BYTE: Final = re.compile("[\udc80-\udcff]")
DOT_SEGMENT: Final = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
SINGLE_DOT: Final = re.compile(r"\.|%2e", re.IGNORECASE)
DOUBLE_DOT: Final = re.compile(r"(?:\.|%2e){2}", re.IGNORECASE)


def escape_path(path: str) -> str:
    return PATH_ESCAPES.sub(escape_match, resolve_dot_segments(path))


def escape_query(query: str) -> str:
    return QUERY_ESCAPES.sub(escape_match, query)


def escape_match(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def escape_stray_bytes(text: str) -> str:
    """Header bytes that are not UTF-8 arrive as surrogates (PEP 383); they leave as the bytes they were."""
    return STRAY_BYTE.sub(lambda match: f"%{ord(match[0]) - 0xDC00:02X}", text)


def resolve_dot_segments(path: str) -> str:
    """`/a/./b/../c` is `/a/c`; the result begins with a slash."""
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
