"""Whole pages: a browser visits, and the page is kept as it looked; then it can be read without its site."""

import io
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from PIL import Image

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.capture import CaptureFormat
from kept.domain.job import Queue
from kept.services.items.removal import RESTORE_WITHIN
from kept.services.maintenance.cleaning import remove_orphans, sweep_blobs
from kept.services.pages.identity import merge_media
from kept.storage import captures, media
from kept.storage.captures import capture_key
from support.builders.page_files import SECRET, page, upload_page
from support.builders.pictures import picture
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import writing
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept, run_kept
from support.servers.working import Worker

pytestmark = pytest.mark.requirement("Kept", "whole pages, in which nothing runs or loads")

STYLE = "h1 { color: rgb(1, 2, 3); background: url(/bg.png) } @import 'more.css';"
# A busy machine may need a second attempt.
SOON = timedelta(seconds=5)
SANDBOX = "allow-popups allow-popups-to-escape-sandbox"
POLICY = f"sandbox {SANDBOX}; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"


def publish(origin: Origin, *, image: str | None = "/bg.png") -> str:
    origin.file("/bg.png", picture(size=(300, 200)), "image/png")
    origin.file("/late.png", picture(size=(310, 210)), "image/png")
    origin.file("/style.css", STYLE.encode(), "text/css")
    origin.file("/more.css", b"p { margin: 7px }", "text/css")
    meta = f'<meta property="og:image" content="{image}">' if image else ""
    head = f'<link rel="stylesheet" href="/style.css">{meta}<script>document.title += " drawn"</script>'
    lazy = '<div style="height: 6000px"></div><img src="/late.png" loading="lazy" alt="late">'
    return origin.page("/a", page(f'<img src="/bg.png" alt="quay" width="300">{lazy}', head=head))


async def test_a_whole_page_is_kept_and_shown_when_its_site_is_gone(
    saving: RunningKept, ann: Person, bob: Person, worker: Worker, origin: Origin
) -> None:
    item = await ann.save(publish(origin))
    await worker.work_off(ahead=SOON)
    path = f"/api/v1/items/{item['id']}"
    assert (await ann.get(f"{path}/captures")).data == {"captures": [], "is_queued": False, "failure": None}
    origin.page("/a", "<h1>Gone for a while</h1>", status=410)
    assert (await ann.post(f"{path}/capture")).status == 202
    await worker.work_off(ahead=SOON)
    failure = (await ann.get(f"{path}/captures")).data["failure"]
    assert (failure["code"], failure["message"]) == ("E_FETCH_FAILED", "The site answered with an error (410).")
    told = (await ann.get(f"/whole/{item['id']}")).body.decode()
    assert "be saved. The site answered with an error (410)." in told
    assert "Try again" in told
    publish(origin)
    asked = await ann.post(f"{path}/capture")
    assert (asked.status, asked.data["is_queued"]) == (202, True)
    assert b"being saved" in (await ann.get(f"/whole/{item['id']}")).body
    await worker.work_off(ahead=SOON)
    origin.handlers.clear()
    there = (await ann.get(f"{path}/captures")).data
    assert {one["format"] for one in there["captures"]} == {"html", "mhtml", "png", "pdf"}
    assert (there["is_queued"], there["failure"]) == (False, None)
    shown = await ann.get(f"{path}/page.html")
    assert shown.headers["Content-Security-Policy"] == POLICY
    assert shown.headers["X-Content-Type-Options"] == "nosniff"
    html = shown.body.decode()
    assert SECRET in html
    assert "rgb(1, 2, 3)" in html
    assert html.count("data:image/png;base64,") >= 3  # the image, the lazy one, the background
    assert "<script" not in html
    assert origin.address not in html
    with Image.open(io.BytesIO((await ann.get(f"{path}/page.png")).body)) as image:
        assert (image.width, 6000 < image.height < 8000) == (1280, True)
    assert (await ann.get(f"{path}/page.pdf")).body.startswith(b"%PDF-")
    for kind in ("html", "mhtml", "png", "pdf"):
        saved = await ann.get(f"{path}/page.{kind}?download=true")
        assert saved.headers["Content-Disposition"].startswith("attachment; ")
        assert (await bob.get(f"{path}/page.{kind}")).status == 404
    viewer = await ann.get(f"/whole/{item['id']}")
    assert "frame-src 'self'" in viewer.headers["Content-Security-Policy"]
    assert f'<iframe class="whole-page" sandbox="{SANDBOX}" src='.encode() in viewer.body
    assert b"?tab=screenshot" in viewer.body
    assert (await bob.get(f"/whole/{item['id']}")).status == 404
    assert b"Your whole pages take" in (await ann.get("/account")).body
    with writing(saving.kept.database) as tx:
        assert ann.user is not None
        used = captures.count_bytes(tx, ann.user.id)
    assert used == sum(one["size"] for one in there["captures"])


async def test_the_visit_for_the_article_and_the_screenshot_brings_the_whole_page_too(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    await ann.patch(f"/api/v1/libraries/{(await ann.get('/api/v1/libraries')).data[0]['id']}", {"captures_pages": True})
    item = await ann.save(publish(origin, image=None))
    before = origin.requests["/a"]
    await worker.with_browser_elsewhere().work_off(ahead=SOON)
    assert origin.requests["/a"] == before + 1
    there = (await ann.get(f"/api/v1/items/{item['id']}/captures")).data
    assert len(there["captures"]) == 4
    card = (await ann.get(f"/api/v1/items/{item['id']}")).data
    assert (card["processing_status"], card["enrichment_status"]) == ("ready_for_reading", "succeeded")
    assert card["preview_src"]
    assert worker.count_jobs() == {}


async def test_a_new_copy_of_a_page_whose_whole_page_was_kept_is_kept_whole_too(
    saving: RunningKept, ann: Person, worker: Worker, origin: Origin
) -> None:
    item = await ann.save(publish(origin))
    await ann.post(f"/api/v1/items/{item['id']}/capture")
    await worker.work_off(ahead=SOON)
    assert (await ann.post(f"/api/v1/items/{item['id']}/recapture")).status == 202
    await worker.with_browser_elsewhere().work_off(ahead=SOON)
    copies = (await ann.get(f"/api/v1/items/{item['id']}/copies")).data
    assert len(copies) == 2
    for copy in copies:
        assert len((await ann.get(f"/api/v1/items/{copy['item_id']}/captures")).data["captures"]) == 4


@on_both_databases
async def test_the_file_that_was_uploaded_is_the_whole_page(
    saving: RunningKept, ann: Person, bob: Person, worker: Worker
) -> None:
    file = page('<p onclick="alert(1)" style="color: red">red</p><script>alert(1)</script>')
    item = (await upload_page(ann, file.encode())).data
    await worker.without_browser().work_off(Queue.INGEST)
    path = f"/api/v1/items/{item['id']}"
    there = (await ann.get(f"{path}/captures")).data
    assert [one["format"] for one in there["captures"]] == ["html"]
    html = (await ann.get(f"{path}/page.html")).body.decode()
    assert '<p style="color: red">red</p>' in html
    assert SECRET in html
    assert "alert" not in html
    assert (await ann.get(f"{path}/page.mhtml")).status == 404
    assert (await bob.get(f"{path}/page.html")).status == 404
    original = await ann.get(f"{path}/upload")
    assert original.body.decode() == file
    assert original.headers["Content-Type"] == "application/octet-stream"
    assert original.headers["Content-Disposition"].startswith("attachment; ")
    assert original.headers["X-Content-Type-Options"] == "nosniff"
    assert original.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert f"{path}/upload" in (await ann.get(f"/whole/{item['id']}")).body.decode()
    assert (await bob.get(f"{path}/upload")).status == 404
    refused = await ann.post(f"{path}/capture")
    assert (refused.status, refused.error_code) == (409, "E_CONFLICT")
    # removed with its item, and its blobs with it
    assert len(await saving.kept.blobs.list("pages")) == 2
    await ann.delete(path)
    later = utc_now() + RESTORE_WITHIN + timedelta(days=1)
    assert await remove_orphans(saving.kept.database, saving.kept.blobs, now=later) == 1
    assert await saving.kept.blobs.list("pages") == []


async def test_a_user_keeps_no_more_than_their_quota(saving_url: str, tmp_path: Path) -> None:
    settings = Settings(database_url=saving_url, data_dir=tmp_path, whole_page_quota_bytes=2000)
    async with run_kept(settings) as small:
        ann = await small.make_person("ann")
        assert (await upload_page(ann, page().encode())).status == 201
        full = await upload_page(ann, page("<p>more</p>" * 100).encode(), "https://example.org/b")
        assert (full.status, full.error_code) == (409, "E_QUOTA_EXCEEDED")
        assert len(await small.kept.blobs.list("pages")) == 1


@on_both_databases
async def test_captures_go_to_the_media_that_another_is_merged_into(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    one = await ann.save(origin.page("/one", article()))
    two = await ann.save(origin.page("/two", article()))
    loser, winner = UUID(one["media_id"]), UUID(two["media_id"])
    key = capture_key(loser, "page.png")
    await saving.kept.blobs.put(key, b"x", "image/png")
    with writing(saving.kept.database) as tx:
        made = captures.NewCapture(CaptureFormat.PNG, key, "image/png", 1)
        captures.put_capture(tx, loser, made, None, utc_now())
        merge_media(tx, loser, winner, actor_user_id=None, now=utc_now())
    await sweep_blobs(saving.kept.database, saving.kept.blobs, now=utc_now() + timedelta(days=1))
    assert (await ann.get(f"/api/v1/items/{two['id']}/page.png")).body == b"x"
    with writing(saving.kept.database) as tx:
        media.delete_media(tx, winner)
    await sweep_blobs(saving.kept.database, saving.kept.blobs, now=utc_now() + timedelta(days=1))
    assert await saving.kept.blobs.list("pages") == []


@pytest.mark.parametrize("whole_page", ["never", "asked"])
async def test_whole_pages_are_kept_only_where_the_server_keeps_them(
    whole_page: str, saving_url: str, tmp_path: Path, origin: Origin
) -> None:
    others: dict[str, Any] = {"whole_page": whole_page} if whole_page == "never" else {"render": "never"}
    async with run_kept(Settings(database_url=saving_url, data_dir=tmp_path, **others)) as running:
        ann = await running.make_person("ann")
        item = await ann.save("https://example.org/nowhere", wait=False)
        refused = await ann.post(f"/api/v1/items/{item['id']}/capture")
        assert refused.status == 409
        several = await ann.post("/api/v1/items/captures", {"item_ids": [item["id"], item["id"]]})
        assert several.status == 409
