"""An item's article as a file: for who may see it, once it is ready, with its pictures."""

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from kept.content.images.format import ImageFormat
from support.builders.articles import ingest, store_images_of
from support.builders.pictures import open_picture, picture
from support.servers.chromium import open_chromium
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "articles as files")

HTML = '<h2>Part</h2><p>Words of it.</p><img src="/a.png" alt="A"><img src="/b.avif" alt="B"><img src="/gone.png">'


@pytest.fixture
async def item(saving: RunningKept, ann: Person, origin: Origin) -> Any:
    """A kept article with two pictures, whose site has gone since."""
    origin.file("/a.png", picture(ImageFormat.PNG), "image/png")
    origin.file("/b.avif", picture(ImageFormat.AVIF), "image/avif")
    item = await ann.save(origin.url("/a"), wait=False, title="Über: Trees & Birds")
    ingest(saving.kept.database, item["media_id"], HTML, base_url=origin.url("/a"))
    await store_images_of(saving, item["media_id"])
    origin.handlers.clear()
    return item


async def test_an_article_can_be_taken_away_as_four_kinds_of_file(ann: Person, item: Any) -> None:
    types = {"html": "text/html", "epub": "application/epub+zip", "md": "text/markdown", "txt": "text/plain"}
    for extension, content_type in types.items():
        answer = await ann.get(f"/api/v1/items/{item['id']}/article.{extension}")
        assert (answer.status, answer.headers["Content-Type"].partition(";")[0]) == (200, content_type)
        expected = f"attachment; filename*=UTF-8''%C3%BCber-trees-birds.{extension}"
        assert answer.headers["Content-Disposition"] == expected
        assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
        if extension != "epub":
            assert "Words of it." in answer.body.decode()


async def test_the_book_has_every_picture_in_a_format_all_readers_know(ann: Person, item: Any) -> None:
    answer = await ann.get(f"/api/v1/items/{item['id']}/article.epub")
    book = zipfile.ZipFile(BytesIO(answer.body))
    names = [name for name in book.namelist() if name.startswith("EPUB/images/")]
    assert sorted(name.rpartition(".")[2] for name in names) == ["jpg", "png"]
    assert {open_picture(book.read(name)).size for name in names} == {(40, 30)}


async def test_a_file_that_would_lack_its_pictures_is_refused_and_one_without_any_is_not(
    saving: RunningKept, ann: Person, item: Any
) -> None:
    blobs = saving.kept.settings.data_dir / "blobs"
    blobs.rename(blobs.with_name("elsewhere"))
    blobs.write_text("a file where the folder should be")
    refused = await ann.get(f"/api/v1/items/{item['id']}/article.epub")
    assert (refused.status, refused.error_code) == (503, "E_UNAVAILABLE")
    assert (await ann.get(f"/api/v1/items/{item['id']}/article.txt")).status == 200


async def test_the_html_shows_in_a_browser_with_its_pictures_and_its_style(
    ann: Person, item: Any, tmp_path: Path
) -> None:
    file = tmp_path / "article.html"
    file.write_bytes((await ann.get(f"/api/v1/items/{item['id']}/article.html")).body)
    async with open_chromium() as browser:
        page = await browser.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        await page.goto(file.as_uri())
        assert await page.evaluate("[...document.images].map(image => image.naturalWidth)") == [40, 40]
        assert await page.evaluate("getComputedStyle(document.body).maxWidth") != "none"
        assert await page.title() == "Über: Trees & Birds"
        assert complaints == []


async def test_only_who_may_see_it_takes_it_away_and_only_once_it_is_ready(
    saving: RunningKept, ann: Person, item: Any, origin: Origin
) -> None:
    bob = await saving.make_person("bob")
    hidden = await bob.get(f"/api/v1/items/{item['id']}/article.epub")
    absent = await bob.get(f"/api/v1/items/{uuid4()}/article.epub")
    assert hidden.status == absent.status == 404
    assert hidden.json["error"] | {"request_id": ""} == absent.json["error"] | {"request_id": ""}
    pending = await ann.save(origin.url("/b"), wait=False)
    assert (await ann.get(f"/api/v1/items/{pending['id']}/article.txt")).status == 409
    assert (await ann.get(f"/api/v1/items/{item['id']}/article.exe")).status == 400
