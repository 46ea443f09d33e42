"""Files of pages as browsers make them, and how they are uploaded."""

import base64
import binascii
from typing import Any, Final

import aiohttp

from support.servers.serving import Answer, Person

BOUNDARY: Final = "----MultipartBoundary--kept----"
SECRET: Final = "Only members know that the lighthouse keeper sold the lamp in the spring of that year."
TEXT: Final = (
    "The harbour is quiet in winter, and the boats lie under their covers until the first warm days of the year. "
    "Whoever walks along the quay at that time meets nobody but the cats, and hears nothing but the ropes. "
)


def page(body: str = "", *, title: str = "The harbour", head: str = "") -> str:
    """A page with enough text for an article."""
    paragraphs = f"<p>{TEXT}</p><p>{SECRET} {TEXT}</p><p>{TEXT}</p>"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="description" content="A walk along the quay.">{head}</head>'
        f"<body><article><h1>{title}</h1>{paragraphs}{body}</article></body></html>"
    )


def part(content_type: str, location: str, body: bytes, *, content_id: str = "", encoding: str = "base64") -> bytes:
    coded = base64.encodebytes(body).replace(b"\n", b"\r\n") if encoding == "base64" else body
    coded = binascii.b2a_qp(body) if encoding == "quoted-printable" else coded
    lines = [f"Content-Type: {content_type}", f"Content-Transfer-Encoding: {encoding}"]
    lines += [f"Content-Location: {location}"] if location else []
    lines += [f"Content-ID: <{content_id}>"] if content_id else []
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + coded


def mhtml(html: str, *others: bytes, url: str = "https://example.org/a", charset: str = "") -> bytes:
    """As Chromium writes it."""
    kind = f'text/html; charset="{charset}"' if charset else "text/html"
    first = part(kind, url, html.encode(charset or "utf-8"), encoding="quoted-printable")
    head = (
        "From: <Saved by Blink>\r\n"
        f"Snapshot-Content-Location: {url}\r\n"
        "Subject: =?utf-8?Q?The harbour?=\r\n"
        "MIME-Version: 1.0\r\n"
        'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n'
        f'\tboundary="{BOUNDARY}"\r\n\r\n\r\n'
    )
    marked = b"".join(b"--" + BOUNDARY.encode() + b"\r\n" + one + b"\r\n" for one in (first, *others))
    return head.encode() + marked + b"--" + BOUNDARY.encode() + b"--\r\n"


async def upload_page(
    person: Person, file: bytes, url: str = "https://example.org/a", *, query: str = "", **fields: Any
) -> Answer:
    form = aiohttp.FormData()
    form.add_field("url", url)
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            form.add_field(name, one)
    form.add_field("file", file, filename="page.html", content_type="text/html")
    return await person.send(f"/api/v1/items/page{query}", form)
