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

# Of what a save reads: a megabyte at most. Each was found to cost seconds, or could in a parser less careful.
HOSTILE_CARDS: dict[str, Callable[[], bytes]] = {
    "240 kB of paragraphs that never begin": lambda: b"<p " * 80_000,
    "paragraphs that never begin, on lines of their own": lambda: b"<p\n" * 80_000,
    "a meta charset and newlines": lambda: b"<meta charset=" + b"\n" * 8_000,
    "many meta charsets and newlines": lambda: (b"<meta charset=" + b"\n" * 60) * 120,
    "an XML encoding and spaces": lambda: b"<?xml encoding=" + b" " * 8_000,
    "one attribute of 500 kB": lambda: b'<p title="' + b"x " * 250_000 + b'">text',
    "one name of 500 kB": lambda: b"<" + b"p" * 500_000 + b">text",
    "tags of 500 attributes each": lambda: numbered("<p " + numbered("a# ", 500) + ">", 500).encode(),
    "a property with 100,000 names": lambda: b'<meta property="' + b"og:title " * 50_000 + b'" content="' + b" " * 500_000 + b'">',
    "500 descriptions of white space": lambda: b'<meta name="description" property="og:description" content="' + b" " * 500_000 + b'">' + b'<meta name="description" content=" ">' * 4_000,
    "nested JSON-LD": lambda: b'<script type="application/ld+json">{"@graph":' + b"[" * 200_000 + b"{}" + b"]" * 200_000 + b"}</script>",
    "nested objects of JSON-LD": lambda: b'<script type="application/ld+json">' + b'{"mainEntity":' * 60_000 + b"{}" + b"}" * 60_000 + b"</script>",
    "500 kB of authors in JSON-LD": lambda: b'<script type="application/ld+json">{"@type":"Article","author":[' + b'"a",' * 120_000 + b'"b"]}</script>',
    "a number of 400,000 digits in JSON-LD": lambda: b'<script type="application/ld+json">{"@type":"Article","a":' + b"1" * 400_000 + b'}</script>',
    "a fraction of 400,000 digits in JSON-LD": lambda: b'<script type="application/ld+json">{"@type":"Article","a":0.' + b"1" * 400_000 + b'}</script>',
    "JSON-LD that is named and never ends": lambda: b"application/ld+json" * 50_000,
    "a number of 5,000 digits in the title": lambda: b"<title>A &amp; &amp;#" + b"1" * 5_000 + b"; B</title>",
    "entities without an end": lambda: b"<title>" + b"&amp;#x" * 100_000,
    "CDATA without an end": lambda: b"<svg>" + b"<![CDATA[" * 100_000,
    "comments without an end": lambda: b"<!--" * 250_000,
    "comments of dashes": lambda: b"<!" + b"-" * 900_000,
    "paragraphs nested by objects": lambda: b"<p><object>" * 2_400 + b"word " * 200_000,
    "paragraphs nested by buttons and full of links": lambda: b"<p><button>" * 500 + b"word <a href=x>link</a>" * 3_900,
    "noscripts nested in each other": lambda: b"<body>" + b"<noscript>" * 2_000 + b"word " * 190_000,
    "headings nested by blocks": lambda: b"<body>" + b"<h1><div>" * 2_000 + b" " * 900_000,
    "blocks of which each holds every link": lambda: b"<body>" + b"<div>Forty characters of some text stand right here, and more." * 2_000 + b"<a href=x>link</a>" * 2_900,
    "deep tables": lambda: b"<table><tr><td>" * 1_600 + b"x" * 900_000,
    "text that a table hands back": lambda: b"<table>" + (b"x" * 190 + b"<tr>") * 4_900,
    "options without end": lambda: b"<select>" + b"<option>x" * 100_000,
    "forms in frames in lists": lambda: b"<ul><li><form><frameset>" * 40_000,
    "drawings with titles": lambda: b"<svg><title><math><mi>" * 40_000,
    "end tags of nothing": lambda: b"<div>" * 2_400 + b"</span>" * 2_500,
    "scripts that are never closed": lambda: b"<script>" * 100_000,
    "marks on one letter": lambda: ("<title>a" + "\u0301\u0323" * 100_000 + "</title>").encode(),
    "bytes that no encoding has": lambda: b'<meta charset="windows-1253">' + b"\xd2\xaa\xff" * 300_000,
    "escapes of a Japanese encoding": lambda: b'<meta charset="iso-2022-jp">' + b"\x1b$B\x1b(J" * 120_000,
    "a megabyte of NULs": lambda: b"\0" * 1_000_000,
    "a megabyte of brackets": lambda: b"<" * 1_000_000,
    "a megabyte of white space": lambda: b"<title>" + b" " * 1_000_000,
    "a megabyte of newlines": lambda: b"\n" * 1_000_000,
    "a title of separators": lambda: b"<title>x " + "|–—".encode() * 100_000,
    "100,000 attributes in a drawing's title": lambda: ("<svg><title><p " + numbered("a# ", 100_000) + "></title></svg>").encode(),
    "a base of slashes": lambda: b'<base href="http:' + b"/" * 8_000 + b'"><link rel=icon href="' + b"../" * 2_700 + b'">' * 100,
}  # fmt: skip
