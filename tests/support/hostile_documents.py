"""Documents made to exhaust whoever reads them, by name."""
# ruff: noqa: E501 (each document is one line)

from collections.abc import Callable
from typing import Final


def numbered(template: str, count: int) -> str:
    return "".join(template.replace("#", str(number)) for number in range(count))


HOSTILE: dict[str, Callable[[], bytes]] = {
    "50,000 nested tags": lambda: b"<div>" * 50_000 + b"x",
    "50,000 nested tags that are closed": lambda: b"<div>" * 50_000 + b"x" + b"</div>" * 50_000,
    "50,000 nested tags of two kinds": lambda: b"<li><dd>" * 25_000,
    "50,000 unclosed formatting elements": lambda: numbered("<b id=#>", 50_000).encode(),
    "formatting that every paragraph opens again": lambda: ("<p>" + numbered("<b id=#>", 5_000) + "<p>x" * 5_000).encode(),
    "formatting opened again below the limit of depth": lambda: ("<p>" + numbered("<b id=#>", 450) + "<p>x" * 9_000).encode(),
    "nested drawings with titles": lambda: b"<svg><title><div>" * 20_000,
    "10 MB of one paragraph": lambda: b"<p>" + b"word " * (2 * 1024 * 1024 - 2),
    "10 MB of one word": lambda: b"<p>" + b"a" * (10 * 1024 * 1024 - 3),
    "10 MB of entities": lambda: b"<p>" + b"&amp;" * (2 * 1024 * 1024 - 2),
    "10 MB of brackets": lambda: b"<" * (10 * 1024 * 1024),
    "10 MB of opened tags": lambda: b"<a " * (3 * 1024 * 1024),
    "10 MB of comments that never end": lambda: b"<!--" * (2 * 1024 * 1024),
    "10 MB of quotes": lambda: b'<a b="' * (1024 * 1024),
    "50,000 links": lambda: numbered("<p><a href='/#'>link #</a></p>", 50_000).encode(),
    "50,000 pictures": lambda: numbered("<img src='/#.png'>", 50_000).encode(),
    "20,000 table rows": lambda: ("<table>" + numbered("<tr><td>#<td>b<td>c", 20_000)).encode(),
    "200,000 list items": lambda: b"<ul>" + b"<li>x" * 200_000,
    "300,000 line breaks": lambda: b"<p>" + b"x<br>" * 300_000,
    "a 5 MB attribute": lambda: b'<p title="' + b"x" * (5 * 1024 * 1024) + b'">text</p><img alt="' + b"y" * 5_000_000 + b'">',
    "a 5 MB address": lambda: b'<a href="https://x.example/' + b"x" * (5 * 1024 * 1024) + b'">text</a>',
    "a 1 MB srcset": lambda: b'<img srcset="' + b"a.png 1x, " * 100_000 + b'">',
    "200,000 attributes on one tag": lambda: ("<p " + numbered("a#=1 ", 200_000) + ">text").encode(),
    "100,000 attributes with a tag's end in each": lambda: ("<p " + numbered("a#='>' ", 100_000) + ">text").encode(),
    "100,000 attributes with a tag's beginning among each hundred": lambda: ("<p " + "".join(numbered(f"a#-{part} ", 99) + "b='<' " for part in range(1_000)) + ">text").encode(),
    "200,000 marks on one letter": lambda: ("<p>a" + "\u0301\u0323" * 100_000).encode(),
    "NUL bytes": lambda: b"\0" * 1_000_000 + b"<p>te\0xt</p>" + b"\0" * 1_000_000,
    "a wrong charset": lambda: '<meta charset="utf-8"><p>Привет</p>'.encode("koi8-r") * 1_000,
    "UTF-16": lambda: ("<p>" + "Grüße aus dem Süden. " * 1_000).encode("utf-16"),
    "noise": lambda: bytes((number * 7919 + number // 251) % 256 for number in range(1_000_000)),
    "100,000 meta elements": lambda: numbered('<meta property="og:title" content="#">', 100_000).encode(),
    "a million nested brackets of JSON-LD": lambda: b'<script type="application/ld+json">[{"a":' + b"[" * 1_000_000,
    "100,000 JSON-LD scripts": lambda: b'<script type="application/ld+json">{}</script>' * 20_000,
    "a very long title": lambda: b"<title>" + b"&amp;lt;b " * 500_000,
    "nothing": lambda: b"",
}  # fmt: skip

# To parse one of these as a whole takes too long, and no count tells: only a child that can be killed may do it.
ONLY_FOR_A_CHILD: Final = frozenset({"50,000 nested tags that are closed", "50,000 nested tags of two kinds"})
