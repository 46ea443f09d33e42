"""Files of pages and what is made of them: parts found, images named, and a static page with nothing that acts."""

import base64
import gzip

import pytest

from kept.content.whole_page import mhtml as reader
from kept.content.whole_page.mhtml import BadMhtml, Mhtml, read_mhtml
from kept.content.whole_page.page_file import BadPageFile, PageFile, make_document, open_page_file, read_image
from kept.content.whole_page.static_page import make_static_page
from kept.domain.capture import FileKind
from kept.domain.media import IN_FILE
from support.builders.page_files import BOUNDARY, mhtml, page, part
from support.builders.pictures import picture

URL = "https://example.org/a"
PNG = picture()
INSIDE = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
LIMIT = 1024 * 1024


def opened(data: bytes) -> PageFile:
    file = open_page_file(data, URL, max_bytes=LIMIT)
    assert isinstance(file, PageFile), file
    return file


def static(html: str, *parts: bytes) -> str:
    made = make_static_page(opened(mhtml(f"<html><head><title>T</title></head><body>{html}", *parts)), max_bytes=LIMIT)
    assert isinstance(made, str), made
    return made.partition("<body>")[2].removesuffix("</body></html>").strip()


def test_a_file_is_known_by_its_content_and_read_through_gzip() -> None:
    assert opened(page().encode()).kind is FileKind.HTML
    assert opened(mhtml(page())).kind is FileKind.MHTML
    assert opened(gzip.compress(mhtml(page()))).digest == opened(mhtml(page())).digest


def test_parts_are_decoded_as_their_headers_say() -> None:
    read = read_mhtml(
        mhtml("<p>café = x", part("image/png", "i.png", PNG), part("text/css", "", b"p{}", encoding="8bit"))
    )
    assert isinstance(read, Mhtml)
    assert [one.media_type for one in read.parts] == ["text/html", "image/png", "text/css"]
    assert read.page.read().decode() == "<p>café = x"
    assert [one.read() for one in read.parts[1:]] == [PNG, b"p{}"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (mhtml("x")[:-30], reader.BROKEN_OFF),
        (mhtml("x", *[part("a/b", "", b"")] * reader.MAX_PARTS), str(reader.TOO_MANY_PARTS)),
        (mhtml("x").replace(f'boundary="{BOUNDARY}"'.encode(), b"x=y"), reader.NO_BOUNDARY),
        (mhtml("x").replace(b"text/html\r\n", b"text/plain\r\n"), reader.NO_PAGE),
    ],
)
def test_a_damaged_file_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    assert read_mhtml(data) == BadMhtml(reason)


def test_images_inside_a_page_have_urls_by_which_they_are_found() -> None:
    large = picture(size=(300, 200), compress_level=0)
    url = f"data:image/png;base64,{base64.b64encode(large).decode()}"
    parts = (part("image/png", "", PNG, content_id="i"), part("image/png", "https://example.org/n.png", PNG))
    file = opened(mhtml(f'<p><img src="{url}"><img src="cid:i"><img src="n.png">', *parts))
    document = make_document(file)
    named = [text.partition('"')[0] for text in document.html.split('src="')[1:]]
    assert [name.startswith(IN_FILE) for name in named] == [True, True, False]
    assert [read_image(file, document, name) for name in named] == [large, PNG, PNG]
    assert read_image(file, document, "https://example.org/other.png") is None


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p onclick=x id=a data-b=c>t</p>", '<p id="a" data-b="c">t</p>'),
        ("<script>x</script><noscript>y</noscript><object data=z></object><p>t</p>", "<p>t</p>"),
        ("<a href='javascript:x'>t</a>", "<a>t</a>"),
        ("<a href='#b'>t</a>", '<a href="#b">t</a>'),
        ("<img src=https://evil.example/x srcset='y 2x'>", "<img>"),
        ("<form action=x><input type=hidden value=s></form>", "<form></form>"),
        ("<input type=password value=s>", '<input type="password">'),
        ("<meta http-equiv=refresh content='0;url=x'><base href=x><link rel=preload href=x><p>t</p>", "<p>t</p>"),
        ("<template><p>t</p></template>", ""),
        ("<xmp><b></xmp>", "<pre>&lt;b&gt;</pre>"),
        ("<svg><a xlink:href='javascript:x'><set attributeName=href to=x /></a></svg>", "<svg><a></a></svg>"),
        ("<p style='background:url(//evil.example/x)'>t</p>", '<p style="background:url(&quot;data:,&quot;)">t</p>'),
        ("<style>a{content:'<b>'}</style>", "<style>a{content:'\\3c b>'}</style>"),
        ("<style>@import 'https://evil.example/x';b{}</style>", "<style> b{}</style>"),
        ("<style>/* url(x) */ a{background:\\75 rl(x)}</style>", '<style>  a{background:url("data:,")}</style>'),
        ("<style>a{background:image-set('x' 1x)}</style>", "<style>a{background:-kept-set('x' 1x)}</style>"),
    ],
)  # fmt: skip
def test_what_could_run_load_or_send_is_left_out(html: str, expected: str) -> None:
    assert static(html) == expected


def test_what_the_file_holds_is_put_inside() -> None:
    parts = (
        part("image/png", "https://example.org/i.png", PNG),
        part("text/css", "https://example.org/c/c.css", b"@import 'd.css' screen;p{background:url(../i.png)}"),
        part("text/css", "https://example.org/c/d.css", b"b{color:red}"),
        part("text/html", "https://example.org/f", b"<p onclick=x>inner"),
    )
    html = static("<link rel=stylesheet href=/c/c.css><img src=i.png alt=x><iframe src=/f></iframe>", *parts)
    assert f'<img src="{INSIDE}" alt="x">' in html
    assert f'<style>@media screen{{b{{color:red}}}}p{{background:url("{INSIDE}")}}</style>' in html
    assert "&lt;p&gt;inner&lt;/p&gt;" in html
    assert "onclick" not in html


def test_a_drawing_is_written_anew_and_shadow_roots_stay() -> None:
    drawing = "<svg xmlns='http://www.w3.org/2000/svg' onload='x'><script>y</script><rect width='1'/></svg>"
    html = static(f'<img src="data:image/svg+xml,{drawing}"><div><template shadowmode=open><p>t</p></template></div>')
    inside = base64.b64decode(html.partition("base64,")[2].partition('"')[0]).decode()
    assert inside == '<svg xmlns="http://www.w3.org/2000/svg"><rect width="1"></rect></svg>'
    assert '<div><template shadowrootmode="open"><p>t</p></template></div>' in html


def test_one_image_used_a_million_times_takes_no_more_room_than_there_is() -> None:
    file = opened(mhtml("<p>" + "<img src=i.png>" * 5_000, part("image/png", "https://example.org/i.png", PNG * 1)))
    made = make_static_page(file, max_bytes=LIMIT)
    assert isinstance(made, str)
    assert len(made) < 2 * LIMIT
    assert made.count("<img") == 5_000


def test_a_page_that_would_cost_too_much_is_refused() -> None:
    assert isinstance(open_page_file(b"<html>" + b"<div>" * 20_000, URL, max_bytes=LIMIT), BadPageFile)
    bomb = open_page_file(gzip.compress(b"<p>" * LIMIT), URL, max_bytes=LIMIT)
    assert isinstance(bomb, BadPageFile)
    assert bomb.is_too_large
