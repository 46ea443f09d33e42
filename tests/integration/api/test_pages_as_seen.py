"""Pages as somebody saw them: a file goes in, a private article comes out, and nobody else is led to it."""

import asyncio
import base64
import gzip
import resource
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import func, select

from kept.content.images.format import ImageFormat
from kept.domain.job import Queue
from kept.storage.tables import items, jobs, media, page_captures
from support.builders.page_files import BOUNDARY, SECRET, TEXT, mhtml, page, part, upload_page
from support.builders.pictures import picture
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import reading
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

pytestmark = pytest.mark.requirement("Kept", "a page as somebody saw it is a private copy")

IMAGE = picture(ImageFormat.JPEG, (160, 120))
DATA_URL = f"data:image/jpeg;base64,{base64.b64encode(IMAGE).decode()}"


def count_rows(saving: RunningKept) -> dict[str, int]:
    with reading(saving.kept.database) as tx:
        return {
            table.name: tx.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (media, items, page_captures, jobs)
        }


async def list_blobs(saving: RunningKept) -> list[str]:
    return [key for name in ("pages", "images", "thumbnails") for key in await saving.kept.blobs.list(name)]


async def read_article(person: Person, item: Any) -> str:
    answer = await person.get(f"/api/v1/media/{item['media_id']}/fragments")
    assert answer.status == 200, answer.body
    return str(answer.data["fragments"][0]["html_sanitized"])


@on_both_databases
async def test_a_page_is_saved_as_it_was_seen_without_a_fetch_of_it(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    url = origin.page("/a", article(title="Log in", body="<form><input type=password></form>"))
    seen = page(f'<img src="{DATA_URL}" alt="quay" width=60>')
    answer = await upload_page(ann, seen.encode(), url, tags="Sea, boats", note="mine", title="My title")
    assert answer.status == 201, answer.body
    item = answer.data
    assert (item["title"], item["excerpt"], item["note"]) == ("My title", "A walk along the quay.", "mine")
    assert (item["tags"], item["url"], item["enrichment_status"]) == (["boats", "sea"], url, "succeeded")
    await worker.without_browser().work_off(Queue.INGEST)
    html = await read_article(ann, item)
    assert SECRET in html
    image = html.partition("/api/images/")[2][:36]
    shown = await ann.get(f"/api/images/{image}")
    assert (shown.status, shown.headers["Content-Type"]) == (200, "image/jpeg")
    assert origin.requests == {}
    assert (await ann.get(f"/api/v1/items/{item['id']}")).data["processing_status"] == "ready_for_reading"
    assert [one["id"] for one in (await ann.get("/api/v1/search?q=lighthouse")).data] == [item["id"]]


async def test_images_of_an_mhtml_file_are_taken_from_it_and_others_are_fetched(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    url, other = origin.url("/a"), origin.file("/other.png", picture(ImageFormat.PNG, (70, 70)), "image/png")
    html = page(
        f'<img src="{origin.url("/in.png")}" alt=one><img src="cid:two@kept" alt=two><img src="{other}" alt=three>'
    )
    file = mhtml(
        html,
        part("image/jpeg", origin.url("/in.png"), IMAGE),
        part("image/png", "", picture(ImageFormat.PNG, (61, 51)), content_id="two@kept"),
        url=url,
    )
    item = (await upload_page(ann, file, url)).data
    await worker.without_browser().work_off(Queue.INGEST)
    found = [src[:36] for src in (await read_article(ann, item)).split("/api/images/")[1:]]
    assert len(found) == 3
    assert [(await ann.get(f"/api/images/{image}")).status for image in found] == [200, 200, 200]
    assert origin.requests == {"/other.png": 1}


async def test_a_form_as_singlefile_sends_it_is_taken_under_the_names_it_was_given(
    saving: RunningKept, ann: Person, worker: Worker
) -> None:
    """The file first, then the URL, in a browser's FormData; it takes 200 or 201 with JSON for success."""
    boundary, html = "----WebKitFormBoundary7MA4YWxkTrZu0gW", page(f'<img src="{DATA_URL}">')
    single = html.replace(
        "<head>", "<head><!--\n Page saved with SingleFile \n url: https://example.org/a?x=1 \n saved date: x\n-->"
    )
    body = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="archive"; filename="The harbour (1:2:3).html"\r\n'
        f"Content-Type: text/html\r\n\r\n{single}\r\n"
        f'--{boundary}\r\nContent-Disposition: form-data; name="page_url"\r\n\r\nhttps://example.org/a?x=1\r\n'
        f"--{boundary}--\r\n"
    ).encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Accept": "application/json"}
    path = "/api/v1/items/page?url_field=page_url&file_field=archive"
    answer = await ann.send(path, body, **headers)
    assert (answer.status, answer.data["url"]) == (201, "https://example.org/a?x=1")
    await worker.without_browser().work_off(Queue.INGEST)
    assert SECRET in await read_article(ann, answer.data)
    again = await ann.send(path, body, **headers)
    assert (again.status, again.data["id"]) == (200, answer.data["id"])
    assert count_rows(saving)["media"] == 1


@on_both_databases
async def test_nobody_else_who_saves_the_url_is_led_to_what_one_person_saw(
    saving: RunningKept, ann: Person, bob: Person, worker: Worker, origin: Origin
) -> None:
    public = article(title="Public", body=f"<p>{TEXT}</p><p>{TEXT}</p><p>Members read on.</p>", image=None)
    url = origin.page("/a", public)
    seen = page(f'<img src="{DATA_URL}">', head=f'<meta property="og:image" content="{origin.url("/p.png")}">')
    item = (await upload_page(ann, seen.encode(), url)).data
    await worker.without_browser().work_off(Queue.INGEST)
    image = (await read_article(ann, item)).partition("/api/images/")[2][:36]
    theirs = await bob.save(url)
    await worker.without_browser().work_off(Queue.INGEST)
    assert theirs["media_id"] != item["media_id"]
    assert (theirs["title"], theirs["preview_src"]) == ("Public", None)
    assert "Members read on." in await read_article(bob, theirs)
    assert SECRET not in await read_article(bob, theirs)
    hidden = [
        f"/api/v1/items/{item['id']}",
        f"/api/v1/items/{item['id']}/thumbnail",
        f"/api/v1/items/{item['id']}/article.html",
        f"/api/v1/items/{item['id']}/copies",
        f"/api/v1/media/{item['media_id']}",
        f"/api/v1/media/{item['media_id']}/fragments",
        f"/api/images/{image}",
        f"/read/{item['id']}",
    ]
    assert [path for path in hidden if (await bob.get(path)).status not in {404, 303}] == []
    assert (await bob.get("/api/v1/search?q=lighthouse")).data == []
    assert SECRET.encode() not in (await bob.get("/api/v1/export?format=html")).body
    found = await saving.nobody.get(f"/read/{item['id']}")
    assert SECRET.encode() not in found.body


@on_both_databases
async def test_the_item_that_was_there_shows_the_page_as_seen_and_the_former_copy_stays(
    saving: RunningKept, ann: Person, bob: Person, worker: Worker, origin: Origin
) -> None:
    url = origin.page("/a", article(title="Public", body=f"<p>{TEXT}</p><p>{TEXT}</p><p>Members read on.</p>"))
    before = await ann.save(url, note="keep", tags=["sea"])
    theirs = await bob.save(url)
    await worker.without_browser().work_off(Queue.INGEST)
    await ann.patch(f"/api/v1/items/{before['id']}", {"is_favourite": True, "is_archived": True})
    seen = (await upload_page(ann, page().encode(), url, tags="boats")).data
    await worker.without_browser().work_off(Queue.INGEST)
    assert (seen["id"], seen["note"], seen["tags"]) == (before["id"], "keep", ["boats", "sea"])
    assert (seen["reading"]["is_favourite"], seen["reading"]["is_archived"]) == (True, False)
    assert SECRET in await read_article(ann, seen)
    listed = (await ann.get("/api/v1/items")).data
    assert [one["id"] for one in listed] == [seen["id"]]
    copies = (await ann.get(f"/api/v1/items/{seen['id']}/copies")).data
    assert [(one["media_id"], one["is_current"]) for one in copies] == [
        (seen["media_id"], True),
        (before["media_id"], False),
    ]
    assert "Members read on." in await read_article(ann, before)
    former = await ann.get(f"/api/v1/items/{copies[1]['item_id']}/copies")
    assert [one["media_id"] for one in former.data] == [one["media_id"] for one in copies]
    assert (await bob.get(f"/api/v1/items/{theirs['id']}")).data["media_id"] == before["media_id"]
    assert (await ann.save(url))["id"] == seen["id"]
    assert (await ann.delete(f"/api/v1/items/{seen['id']}")).status == 204
    assert (await ann.get("/api/v1/items")).data == []


async def test_a_page_goes_into_the_library_that_is_asked_for_and_into_ones_own(
    saving: RunningKept, ann: Person, bob: Person
) -> None:
    library = (await ann.post("/api/v1/libraries", {"name": "Harbours"})).data["id"]
    answer = await upload_page(ann, page().encode(), library_id=library)
    assert (answer.status, answer.data["library_id"]) == (201, library)
    assert len((await ann.get("/api/v1/items")).data) == 1
    assert (await upload_page(bob, page().encode(), library_id=library)).status == 404
    assert (await upload_page(ann, page().encode(), library_id="x")).error_code == "E_INVALID_REQUEST"


def broken_mhtml() -> bytes:
    return mhtml(page(), part("image/png", "https://example.org/i.png", IMAGE * 20))[:-600]


BAD: dict[str, tuple[bytes, int]] = {
    "nothing": (b"", 422),
    "plain text": (b"Just some words, and no page.", 422),
    "an image": (IMAGE, 422),
    "a PDF": (b"%PDF-1.7 <html>", 422),
    "a zip": (b"PK\x03\x04" + b"<html>" * 100, 422),
    "half a gzip": (gzip.compress(page().encode())[:-40], 422),
    "a gzip bomb": (gzip.compress(b"<p>" * 11_000_000), 413),
    "a broken MHTML": (broken_mhtml(), 422),
    "an MHTML without a boundary": (b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n<html>", 422),
    "an MHTML without a page": (mhtml("").replace(b"text/html\r\n", b"text/plain\r\n"), 422),
    "an MHTML of 50,000 parts": (mhtml(page(), *[part("text/css", "", b"a")] * 50_000), 422),
    "a page nested 20,000 deep": (b"<html>" + b"<div>" * 20_000 + b"x", 422),
    "31 MB": (page(f'<img src="data:image/png;base64,{"A" * 31 * 1024 * 1024}">').encode(), 413),
    "11 MB of text": (page("<p>word</p>" * 1_000_000).encode(), 413),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
async def test_a_file_that_is_no_page_is_refused_and_leaves_nothing_behind(
    kind: str, saving: RunningKept, ann: Person, tmp_path: Path
) -> None:
    file, status = BAD[kind]
    answer = await upload_page(ann, file)
    assert (answer.status, answer.error_code) == (
        status,
        "E_PAGE_UNREADABLE" if status == 422 else "E_INVALID_REQUEST",
    )
    assert answer.json["error"]["message"]
    assert set(count_rows(saving).values()) == {0}
    assert await list_blobs(saving) == []
    assert not list(tmp_path.rglob(".new-*"))


async def test_wrong_requests_are_told_what_is_wrong(saving: RunningKept, ann: Person) -> None:
    assert (await upload_page(ann, page().encode(), "javascript:alert(1)")).error_code == "E_URL_INVALID"
    assert (await upload_page(ann, page().encode(), "mailto:a@b.example")).error_code == "E_URL_INVALID"
    assert (await upload_page(ann, page().encode(), query="?url_field=other")).status == 400
    assert (await upload_page(ann, page().encode(), query="?file_field=other")).status == 400
    assert (await ann.post("/api/v1/items/page", {"url": "https://example.org/"})).status == 400
    assert (await upload_page(ann, page().encode(), note="x" * 100_001)).status == 400
    assert (await upload_page(saving.nobody, page().encode())).status == 401
    assert await list_blobs(saving) == []


async def test_a_client_that_goes_away_in_the_middle_leaves_nothing_behind(
    saving: RunningKept, ann: Person, tmp_path: Path
) -> None:
    host, port = saving.address.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        f"POST /api/v1/items/page HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ann.token}\r\n"
        f"Content-Length: 20000000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n"
        f'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n{"a" * 3_000_000}'.encode()
    )
    await writer.drain()
    writer.transport.abort()
    assert (await upload_page(ann, page().encode())).status == 201
    assert count_rows(saving)["page_captures"] == 1


CHARSETS = {
    "utf-8": "harbour – caf\u00e9 漢字",
    "windows-1252": "caf\u00e9",
    "shift_jis": "日本語の港",
    "utf-16": "日本",
}


@pytest.mark.parametrize("charset", CHARSETS)
async def test_a_page_is_read_in_the_encoding_it_is_in(charset: str, saving: RunningKept, ann: Person) -> None:
    title = CHARSETS[charset]
    html = page(title=title).replace('<meta charset="utf-8">', f'<meta charset="{charset}">')
    assert (await upload_page(ann, html.encode(charset))).data["title"] == title
    wrong = mhtml(page(title=title), charset=charset).replace(f'"{charset}"'.encode(), b'"no-such-charset"')
    assert (await upload_page(ann, gzip.compress(wrong), "https://example.org/b")).status == 201


async def test_a_file_of_25_mb_takes_little_memory_of_api_and_worker(
    saving: RunningKept, ann: Person, worker: Worker
) -> None:
    """The test's own process is both."""
    noise = base64.b64encode(picture(ImageFormat.PNG, (900, 900)) + b"\0" * 4_000_000).decode()
    images = "".join(f'<img src="data:image/png;base64,{noise[:-4]}{number:04}">' for number in range(5))
    file = page(images).encode()
    assert 25 < len(file) / 1024 / 1024 < 30
    form = aiohttp.FormData()
    form.add_field("url", "https://example.org/a")
    form.add_field("file", file, filename="page.html", content_type="text/html")
    assert (await upload_page(ann, page().encode(), "https://example.org/warm")).status == 201
    await worker.without_browser().work_off(Queue.INGEST)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = await ann.send("/api/v1/items/page", form)
    await worker.without_browser().work_off(Queue.INGEST)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert answer.status == 201
    assert SECRET in await read_article(ann, answer.data)
    assert grown < 100, f"{grown:.0f} MB"
    assert BOUNDARY.encode() not in file
