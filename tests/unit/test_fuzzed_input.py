"""Every parser of foreign input takes whatever comes: a value or a refusal, never a crash.

A few hundred tries each; with `./test --long` some thousand.
"""

import gzip
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import pytest

from kept.compat.fields import parse_integer
from kept.compat.linkding.listing import parse_query
from kept.compat.readeck.lists import parse_terms, spell_search
from kept.content.article.canonical import canonical_text
from kept.content.article.highlights.xpath_ranges import ArticlePlaces, XPathRange
from kept.content.article.image_sources import best_candidate
from kept.content.article.safe_html import SafeHtml
from kept.content.article.sanitise import SanitisedArticle, sanitise_article
from kept.content.article.site_rule_files import parse_site_rule
from kept.content.article.site_rules import SiteRule
from kept.content.documents.document import Document
from kept.content.documents.epub import Book, open_book, read_book
from kept.content.documents.recognise import HEAD_BYTES, find_file_name, recognise
from kept.content.documents.text import read_markdown, read_plain_text
from kept.content.export_formats.kept_file import MANIFEST
from kept.content.images.format import is_plain, sniff_image
from kept.content.import_formats.prepare_rows import PreparedLink, prepare_rows
from kept.content.import_formats.registry import Unrecognised, find_reader
from kept.content.import_formats.uploaded_file import UploadedFile
from kept.content.markup import decode_entities
from kept.content.page.card import read_card
from kept.content.page.dates import parse_page_date
from kept.content.page.kinds import classify_body
from kept.content.page.next_page import find_alternate, find_chosen, find_next_page
from kept.content.search.query import parse_search
from kept.content.search.snippets import compile_terms, make_snippet, mark
from kept.content.search.words import index_words
from kept.content.whole_page.page_file import BadPageFile, make_document, open_page_file
from kept.content.whole_page.page_file import read_image as find_image
from kept.content.whole_page.static_page import make_static_page
from kept.domain.account import parse_display_name, parse_password, parse_user_name
from kept.domain.errors import InvalidRequest
from kept.domain.imported import FolderUse
from kept.domain.item import parse_user_fields
from kept.domain.paging import Position, parse_offset, parse_position, write_offset, write_position
from kept.domain.preferences import parse_preferences
from kept.fetch.outcome import find_retry_after_seconds
from kept.fetch.proxy_heads import parse_request, parse_response, rewrite_request, rewrite_response
from kept.urls.identity import hash_spellings, keeps_identity
from kept.urls.url import NormalisedUrl, get_url, join_url, parse_url
from kept.web.i18n import LANGUAGES, negotiate_language, writing_in
from kept.web.list_view import parse_list_url
from kept.web.messages import tell
from kept.web.rendering import local_path
from support.builders.documents import DETAILS
from support.builders.epub_files import epub
from support.builders.page_files import mhtml, part
from support.builders.uploaded_files import ANNOTATIONS, EXAMPLES, zipped
from support.hostile.fuzzing import mutate_bytes, mutate_file, mutate_text, seeds

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
TRIES: Final = 250
LONG_TRIES: Final = 3_000

PAGE: Final = """<!doctype html><html lang="de-AT"><head><meta charset="utf-8"><base href="/b/">
<title>T &amp; t | Site</title><meta property="og:title" content="Tom &amp;amp; Jerry">
<meta property="og:image" content="/i.png?a=1&amp;b=2"><meta name="description" content="A &#228; B">
<meta property="article:published_time" content="2026-01-02T03:04:05.1234567Z"><meta name="author" content="Ann">
<link rel="icon" href="a.png" sizes="32x32 64x64"><link rel=canonical href="//x.example/y">
<script type="application/ld+json">{"@graph": [{"@type": ["NewsArticle"], "headline": "H &amp; h",
"author": [{"name": "Bo"}], "datePublished": "Fri, 02 Jan 2026 03:04:05 GMT", "publisher": {"name": "P"}}]}
</script></head><body><nav><a href=x>Menu</a></nav><main><h1>Heading</h1><time datetime="1767323045">then</time>
<p>A paragraph that has enough words in it to be taken for the beginning of an article by anybody.</p>
<svg><title>t</title></svg><table><tr><td>cell<td>other</table><img srcset="a.png 1x, b.png 2x" src=c.png>
<form><input type=password></form><noscript>Please enable JavaScript</noscript></main></body></html>"""
EXPORT: Final = zipped(
    {
        MANIFEST: json.dumps(
            {
                "format": "kept-export",
                "version": 1,
                "libraries": [{"id": "l", "name": "Cooking", "is_default": False}],
                "items": {"files": ["items-0001.jsonl"]},
            }
        ),
        "items-0001.jsonl": json.dumps(
            {
                "url": "https://e.org/a",
                "library": "l",
                "title": "A",
                "note": "n",
                "tags": ["t"],
                "created_at": "2026-01-01T00:00:00Z",
                "reading": {"progress": 0.5, "read_at": "2026-01-01T00:00:00Z"},
                "media": "m",
                "article": {"file": "a.html"},
                "page": {"title": "A", "published_at": "2026-01-01T00:00:00Z", "favicon_url": "https://e.org/f"},
                "images": [{"origin_url": "https://e.org/i.png", "file": "i.png"}],
                "screenshot": "s.webp",
                "highlights": "h.json",
            }
        )
        + "\n",
        "a.html": "<p>article</p>",
        "h.json": json.dumps(ANNOTATIONS),
    }
)
URLS: Final = (
    "https://user@Bücher.example:8080/a/../b/%7Ec?q=ä&r#f",
    "http://[::ffff:1.2.3.4]:80/",
    "0x7f.1",
    "mailto:a@b.example",
    "//x.example/日本",
    "https://☃.net/ß",
)
SEARCHES: Final = (
    'bread -"sour dough" tag:baking site:www.example.org is:unread after:2024-01 before:2025-02-03 ba*',
    "漢字 -is:read after:0001 before:9999-12-31 tag:“x y",
)
BOOKMARK_SEARCHES: Final = ('(bread or "sour dough") and not #baking !unread !untagged tag:x', "not not -x #漢字 ((")
RANGES: Final = ("/div[1]/p[2]|3|/div/p[2]/em[1]|14", "|0|/|9999999")
HEADS: Final = (
    b"GET http://e.org:80/a?b HTTP/1.1\r\nHost: e.org\r\nContent-Length: 5\r\nProxy-Authorization: Basic YTpi\r\n\r\n",
    b"CONNECT e.org:443 HTTP/1.1\r\nHost: e.org:443\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
)
TEXT_FILES: Final = (
    b"---\ntitle: T\n---\n# H\n\n*a* [l](/x) ![i](i.png) ~~s~~\n\n|a|b|\n|-|-|\n|1|2|\n\n> q\n\n1. x\n\n```p\ny\n```\n",
    "Ein Titel\r\n\r\nDer Fluß.\r\n\r\n    code\r\n".encode("windows-1252"),
)
POSITION: Final = write_position(Position(NOW, UUID(int=1)))


def read_file(data: bytes) -> None:
    file = UploadedFile.of(data)
    reader = find_reader(file)
    if isinstance(reader, Unrecognised):
        assert reader.reason
        return
    for use in FolderUse:
        for row in prepare_rows(reader.read(file), first=0, folder_use=use, now=NOW):
            if isinstance(row, PreparedLink):
                require_storable(row)


def require_storable(row: PreparedLink) -> None:
    """As both databases take it: whole characters, no NUL, a share between 0 and 1, dates that were."""
    words = (row.fields.title, row.fields.excerpt, row.fields.note, *row.fields.tags, row.library_name)
    page = row.copy.page.values() if row.copy else ()
    for text in (*words, *page):
        if isinstance(text, str):
            assert "\x00" not in text
            text.encode()
    assert 0.0 <= row.reading.progress <= 1.0
    for moment in (row.added_at, row.updated_at, row.reading.read_at, *page):
        if isinstance(moment, datetime):
            moment.astimezone(UTC)


def read_page(body: bytes) -> None:
    content_type = body[-60:].decode("latin-1") if len(body) % 2 else None
    metadata = read_card(body, content_type=content_type, url="https://e.org/a").metadata
    for field in fields(metadata):
        if isinstance(value := getattr(metadata, field.name), str):
            value.encode()
    classify_body(body)
    name = find_file_name("https://e.org/a", content_type)
    name.encode()
    recognise(body[:HEAD_BYTES], content_type, name)


def read_links(body: bytes) -> None:
    html = body.decode("utf-8", "replace")
    for url in ("https://e.org/a", "https://e.org/b/story-1.html?page=2"):
        found = find_next_page(html, url), find_chosen(html, url, "a, link")
        leading = [page.url for page in found if page is not None] + [find_alternate(html, url) or url]
        assert all(isinstance(parse_url(link), NormalisedUrl) for link in leading)


def read_rule(text: str) -> None:
    rule = parse_site_rule(text, "a.toml")
    assert rule.covers("e.org") in {True, False} if isinstance(rule, SiteRule) else rule.lines


def sanitise(body: bytes) -> None:
    html = body.decode("utf-8", "replace")
    found = sanitise_article(html, base_url="https://e.org/", canonical_url="https://e.org/", media_id=UUID(int=1))
    if isinstance(found, SanitisedArticle):
        canonical_text(found.html).text.encode()


def read_url(text: str) -> None:
    url = parse_url(text)
    if isinstance(url, NormalisedUrl):
        assert parse_url(str(url)) == url
        base = get_url("https://e.org/a/b?c")
        join_url(url, text)
        keeps_identity(base, url)
    join_url(get_url("https://e.org/a/b?c"), text)


def hash_url_spellings(text: str) -> None:
    assert 1 <= len(hash_spellings(text)) <= 2 or not text


def search_bookmarks(text: str) -> None:
    for found in parse_query(text).searches:
        search(found)


def search_readeck(text: str) -> None:
    search(spell_search(parse_terms(text)))


def find_range(text: str) -> None:
    start, _, rest = text.partition("|")
    numbers = [parse_integer(part) or 0 for part in rest.split("|")]
    article = SafeHtml.admit("<div><p>one</p><p>two <em>three</em></p></div>")
    assert article is not None
    places = ArticlePlaces(article)
    span = places.find_span(XPathRange(start, numbers[0], start, numbers[-1]))
    assert span is None or places.write_range(span) is not None


def search(text: str) -> None:
    query = parse_search(text)
    make_snippet(text, query.wanted)
    mark(text[:500], compile_terms(query.wanted))
    index_words(text).encode("utf-8", "surrogatepass")
    parse_list_url(f"/?q={text}&tag={text}&library={text}")


def read_words(text: str) -> None:
    local_path(text)
    decode_entities(text)
    best_candidate(text)
    parse_preferences({"theme": text, "size": text})
    negotiate_language(text)
    with writing_in(LANGUAGES["de"]):
        tell(text)
    for parse in (
        lambda: parse_user_name(text),
        lambda: parse_password(text),
        lambda: parse_display_name(text, "A name"),
        lambda: parse_user_fields(text, text, text, text.split(",")),
    ):
        refuse_or_take(parse)


def read_cursor(text: str) -> None:
    refuse_or_take(lambda: parse_offset(text))
    refuse_or_take(lambda: parse_position(text).created_at.astimezone(UTC))


def refuse_or_take(parse: Callable[[], object]) -> None:
    with suppress(InvalidRequest):
        parse()


def read_date(text: str) -> None:
    moment = parse_page_date(text)
    assert moment is None or moment.tzinfo is UTC
    find_retry_after_seconds({"retry-after": text, "date": text[::-1]}, NOW)
    find_retry_after_seconds({"retry-after": "Fri, 02 Jan 2026 03:04:05 GMT", "date": text}, NOW)


def read_head(head: bytes) -> None:
    request, response = parse_request(head), parse_response(head)
    if request is not None:
        assert request.body_length is None or request.body_length >= 0
        assert request.credentials is None or len(request.credentials) == 2
        if request.path is not None:
            rewrite_request(request)
    if response is not None:
        rewrite_response(response)


def read_image(data: bytes) -> None:
    kind = sniff_image(data)
    if kind is not None:
        is_plain(data, kind)


def read_e_book(data: bytes) -> None:
    book = open_book(data)
    if isinstance(book, Book):
        document = read_book(book, DETAILS, lambda: False)
        images = document.article.images if isinstance(document, Document) else ()
        for image in images:
            book.read_image(image.origin_url)
        book.read_cover()


def read_text(data: bytes) -> None:
    for read in (read_markdown, read_plain_text):
        document = read(data, DETAILS)
        if isinstance(document, Document):
            document.article.text.text.encode()


def read_page_file(data: bytes) -> None:
    opened = open_page_file(data, "https://e.org/a", max_bytes=1024 * 1024)
    if isinstance(opened, BadPageFile):
        assert opened.reason
        return
    document = make_document(opened)
    document.html.encode()
    for url in [*document.images, "https://e.org/i.png"]:
        find_image(opened, document, url)
    page = make_static_page(opened, max_bytes=2 * 1024 * 1024)
    assert isinstance(page, BadPageFile) or b"<script" not in page.encode()


IMAGES: Final = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(17) + b"\x00\x00\x00\x00IEND\xaeB`\x82",
    b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(9) + b"\xff\xda\x00\x08abcdef\xff\xd9",
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00" + bytes(6)
    + b"!\xf9\x04\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;",
    b"RIFF\x12\x00\x00\x00WEBPVP8 \x06\x00\x00\x00abcdef",
    b"\x00\x00\x00\x18ftypavif\x00\x00\x00\x00avifmif1\x00\x00\x00\x08mdat",
)  # fmt: skip
STYLED: Final = PAGE.replace(
    "<main>",
    "<style>@import 'c.css' screen; a{background:u\\72l(i.png)} b{background:url(\"cid:i\")}</style><main>"
    "<img src=cid:i><iframe srcdoc='<p onclick=x>y'></iframe><template shadowmode=open><p>z</template>",
)
PAGE_FILES: Final = (
    mhtml(
        STYLED,
        part("image/png", "https://e.org/i.png", IMAGES[0], content_id="i"),
        part("text/css", "https://e.org/b/c.css", b"p{color:red}", encoding="quoted-printable"),
        url="https://e.org/a",
    ),
    STYLED.encode(),
    gzip.compress(STYLED.encode()),
)
DATES: Final = (
    "2026-01-02T03:04:05+01:00",
    "Fri, 02 Jan 2026 03:04:05 -0100",
    "1767323045000",
    "20260102T030405Z",
    "2 Jan 26 03:04 EST",
)

PAGED: Final = (
    b"<base href=/b/><link rel=next href=story-2.html><link rel=amphtml href=/amp><p>Page 1 of 5"
    b"<div class=pager><a href=?page=2>2</a><a href='/b/story-2.html' rel=next>3</a><a href='?page=9#x'>9</a>",
)
RULES: Final = (
    """hosts = ["e.org", "*.e.org"]\ntake = ["article > .a:not(.b)", "#x"]\nleave = [".ad"]\nbrowser = true""",
    """hosts = ["127.0.0.1"]\nnext_page = "a[rel~=next]:nth-child(2)"\ntitle = "h1"\nbyline = ".by\"""",
)

BYTES: Final[dict[str, tuple[tuple[bytes, ...], Callable[[bytes, random.Random], bytes], Callable[[bytes], None]]]] = {
    **{f"a file of {name}": ((sample,), mutate_file, read_file) for name, (_, sample) in EXAMPLES.items()},
    "a file of kept": ((EXPORT,), mutate_file, read_file),
    "any file": (tuple(sample for _, sample in EXAMPLES.values()), mutate_bytes, read_file),
    "a page": ((PAGE.encode(), PAGE.encode("utf-16")), mutate_bytes, read_page),
    "an article": ((PAGE.encode(),), mutate_bytes, sanitise),
    "the links of a page": (PAGED, mutate_bytes, read_links),
    "a file of a page": (PAGE_FILES, mutate_bytes, read_page_file),
    "an e-book": ((epub(), epub(has_navigation=False)), mutate_file, read_e_book),
    "a text": (TEXT_FILES, mutate_bytes, read_text),
    "a request or response head": (HEADS, mutate_bytes, read_head),
    "an image": (IMAGES, mutate_bytes, read_image),
}
TEXTS: Final[dict[str, tuple[tuple[str, ...], Callable[[str], None]]]] = {
    "a URL": (URLS, read_url),
    "a search": (SEARCHES, search),
    "a site rule": (RULES, read_rule),
    "a search of linkding's": (BOOKMARK_SEARCHES, search_bookmarks),
    "a search of Readeck's": (BOOKMARK_SEARCHES, search_readeck),
    "a range of wallabag's": (RANGES, find_range),
    "hashes of a URL": (URLS, hash_url_spellings),
    "a name, a tag, a note": (("Ann, Zoë", "new york,İstanbul"), read_words),
    "a cursor": ((POSITION, write_offset(30)), read_cursor),
    "a date": (DATES, read_date),
}

# Each word of a search is compiled.
SLOWER: Final = {"a search": 10}


@contextmanager
def failing_as(seed: str) -> Iterator[None]:
    """Names the try that failed."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"the try {seed!r}")
        raise


@pytest.fixture(scope="module")
def tries(request: pytest.FixtureRequest) -> int:
    return LONG_TRIES if request.config.getoption("--long") else TRIES


@pytest.mark.parametrize("what", BYTES)
def test_any_bytes_are_taken_or_refused(what: str, tries: int) -> None:
    samples, mutate, read = BYTES[what]
    for seed, chance in seeds(what, tries):
        data = mutate(chance.choice(samples), chance)
        with failing_as(seed):
            read(data)


@pytest.mark.parametrize("what", TEXTS)
def test_any_text_is_taken_or_refused(what: str, tries: int) -> None:
    samples, read = TEXTS[what]
    for seed, chance in seeds(what, tries // SLOWER.get(what, 1)):
        text = mutate_text(chance.choice(samples), chance)
        with failing_as(seed):
            read(text)
