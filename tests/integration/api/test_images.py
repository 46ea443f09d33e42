"""The image proxy: only safe images, only for who may see the page, kept for good (specification 002 §7)."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest
from aiohttp import web

from kept.content.images.format import ImageFormat
from kept.domain.job import JobKind
from kept.storage import images
from kept.storage.queue import queue
from support.builders.articles import ingest, store_images_of
from support.builders.pictures import (
    HTML,
    SCRIPT,
    SVG,
    gif_that_is_javascript,
    huge_png,
    jpeg_with_metadata,
    open_picture,
    picture,
    png_with_text,
)
from support.fixtures.transactions import reading
from support.servers.origin import Handler, Origin, article
from support.servers.serving import Answer, Person, RunningKept

pytestmark = pytest.mark.requirement("002", "§7 images: opaque ids, proxy, types, 10 MB")

GUARDS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SAFE_TYPES = {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"}


def serve(body: bytes, content_type: str | None = "image/png", **headers: str) -> Handler:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.Response(body=body, headers=headers)
        if content_type is None:
            del response.headers["Content-Type"]
        else:
            response.headers["Content-Type"] = content_type
        return response

    return answer


async def keep_page(saving: RunningKept, person: Person, origin: Origin, *sources: str) -> tuple[str, list[str]]:
    """An article with these pictures, ready to read: its media's id and the pictures' paths."""
    media_id = (await person.post("/api/v1/media/web-articles", {"url": origin.url("/a")})).data["id"]
    html = "<p>Words.</p>" + "".join(f'<img src="{source}">' for source in sources)
    kept = ingest(saving.kept.database, media_id, html, base_url=origin.url("/a"))
    return media_id, [f"/api/images/{image.id}" for image in kept.images]


async def view(saving: RunningKept, person: Person, origin: Origin, handler: Handler, **headers: str) -> Answer:
    origin.on("/picture", handler)
    _, [path] = await keep_page(saving, person, origin, "/picture")
    return await person.get(path, **headers)


# --- good pictures ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(ImageFormat))
async def test_a_picture_is_served_under_the_type_its_bytes_have(
    saving: RunningKept, ann: Person, origin: Origin, kind: ImageFormat
) -> None:
    answer = await view(saving, ann, origin, serve(picture(kind), "application/octet-stream"))
    expected = "image/png" if kind is ImageFormat.ICO else kind.value
    assert (answer.status, answer.headers["Content-Type"]) == (200, expected)
    assert GUARDS.items() <= dict(answer.headers).items()
    assert answer.headers["Cache-Control"].startswith("private, max-age=")
    assert open_picture(answer.body).size == open_picture(picture(kind)).size


async def test_a_picture_is_fetched_once_and_is_there_when_its_site_is_gone(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    origin.on("/picture", serve(picture()))
    _, [path] = await keep_page(saving, ann, origin, "/picture")
    first = await ann.get(path)
    origin.handlers.clear()
    assert (await ann.get(path)).body == first.body
    assert origin.requests["/picture"] == 1


async def test_many_first_views_at_once_fetch_once(saving: RunningKept, ann: Person, origin: Origin) -> None:
    async def slow(request: web.BaseRequest) -> web.StreamResponse:
        await asyncio.sleep(0.3)
        return web.Response(body=picture(), content_type="image/png")

    origin.on("/picture", slow)
    _, [path] = await keep_page(saving, ann, origin, "/picture")
    answers = await asyncio.gather(*(ann.get(path) for _ in range(20)))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1
    assert origin.requests["/picture"] == 1


async def test_a_picture_one_has_already_is_not_sent_again(saving: RunningKept, ann: Person, origin: Origin) -> None:
    origin.on("/picture", serve(picture()))
    _, [path] = await keep_page(saving, ann, origin, "/picture")
    tag = (await ann.get(path)).headers["ETag"]
    for sent in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = await ann.get(path, **{"If-None-Match": sent})
        assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tag)
    assert (await ann.get(path, **{"If-None-Match": '"other"'})).status == 200


async def test_a_range_is_answered_with_the_whole(saving: RunningKept, ann: Person, origin: Origin) -> None:
    answer = await view(saving, ann, origin, serve(picture()), Range="bytes=2-5")
    assert (answer.status, answer.body) == (200, picture())


# --- who may see it --------------------------------------------------------------------------------------------------


async def test_a_picture_of_a_page_one_may_not_see_is_not_there(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    bob = await saving.make_person("bob")
    origin.on("/picture", serve(picture()))
    _, [path] = await keep_page(saving, ann, origin, "/picture")
    assert (await ann.get(path)).status == 200
    hidden, absent = await bob.get(path), await bob.get(f"/api/images/{uuid4()}")
    assert hidden.status == absent.status == 404
    assert hidden.json["error"] | {"request_id": ""} == absent.json["error"] | {"request_id": ""}
    assert (await saving.nobody.get(path)).status == 401


# --- hostile origins -------------------------------------------------------------------------------------------------


async def endless(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "image/png"})
    await response.prepare(request)
    await response.write(picture())
    for _ in range(1000):  # 64 MB, were anybody to read them
        await response.write(b"\0" * 65536)
    return response


async def error(request: web.BaseRequest) -> web.StreamResponse:
    return web.Response(status=500, body=picture(), content_type="image/png")


async def to_itself(request: web.BaseRequest) -> web.StreamResponse:
    return web.Response(status=302, headers={"Location": "/picture"})


async def inside(request: web.BaseRequest) -> web.StreamResponse:
    return web.Response(status=302, headers={"Location": "http://169.254.169.254/latest/meta-data/"})


REFUSED = [
    pytest.param(serve(SVG, "image/svg+xml"), id="an SVG with a script"),
    pytest.param(serve(SVG, "image/png"), id="an SVG called a PNG"),
    pytest.param(serve(HTML, "image/png"), id="HTML called a PNG"),
    pytest.param(serve(HTML, None), id="HTML without a type"),
    pytest.param(serve(b"\x89PNG\r\n\x1a\n" + HTML), id="HTML behind a PNG's first bytes"),
    pytest.param(serve(b"GIF89a" + HTML), id="HTML behind a GIF's first bytes"),
    pytest.param(serve(huge_png()), id="a hundred million pixels"),
    pytest.param(serve(b"\0" * 11_000_000), id="eleven megabytes"),
    pytest.param(serve(b""), id="nothing"),
    pytest.param(endless, id="an endless body"),
    pytest.param(error, id="an error that looks like a picture"),
    pytest.param(to_itself, id="redirects without end"),
    pytest.param(inside, id="a redirect inside"),
]


@pytest.mark.requirement("Kept", "hostile image origins")
@pytest.mark.parametrize("handler", REFUSED)
async def test_what_is_no_picture_is_never_served(
    saving: RunningKept, ann: Person, origin: Origin, handler: Handler
) -> None:
    answer = await view(saving, ann, origin, handler)
    assert (answer.status, answer.error_code) == (502, "E_FETCH_FAILED")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert b"alert" not in answer.body
    assert b"169.254" not in answer.body


ODD = [
    pytest.param(picture() + SCRIPT, id="a script behind a PNG"),
    pytest.param(picture(ImageFormat.JPEG) + b"PK\x03\x04" + SCRIPT, id="an archive behind a JPEG"),
    pytest.param(png_with_text(SCRIPT.decode()), id="a script in a PNG's text"),
    pytest.param(jpeg_with_metadata(SCRIPT.decode()), id="a script in a JPEG's metadata"),
    pytest.param(gif_that_is_javascript(), id="a GIF that is JavaScript"),
]


@pytest.mark.parametrize("data", ODD)
@pytest.mark.parametrize("content_type", ["text/html", "image/svg+xml", None])
async def test_a_picture_that_is_something_else_too_is_only_a_picture_afterwards(
    saving: RunningKept, ann: Person, origin: Origin, data: bytes, content_type: str | None
) -> None:
    answer = await view(saving, ann, origin, serve(data, content_type))
    if answer.status == 200:
        assert answer.headers["Content-Type"] in SAFE_TYPES
        assert GUARDS.items() <= dict(answer.headers).items()
        open_picture(answer.body)
    else:
        assert (answer.status, answer.error_code) == (502, "E_FETCH_FAILED")
    assert b"alert" not in answer.body


async def test_the_allow_list_does_not_count_for_what_a_page_names_on_another_host(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    """KEPT_FETCH_ALLOW opens 127.0.0.0/8 here, but the saved page names 127.0.0.1 only (docs/decisions/0006)."""
    origin.on("/picture", serve(picture()))
    other = origin.url("/picture").replace("127.0.0.1", "127.0.0.2")
    _, paths = await keep_page(saving, ann, origin, "/picture", other)
    assert [(await ann.get(path)).status for path in paths] == [200, 502]
    assert origin.requests["/picture"] == 1


async def test_a_site_that_gave_no_picture_is_not_asked_at_every_view(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    _, [path] = await keep_page(saving, ann, origin, "/nothing")
    assert [(await ann.get(path)).status for _ in range(3)] == [502, 502, 502]
    assert origin.requests["/nothing"] == 1


# --- keeping ---------------------------------------------------------------------------------------------------------


async def store_and_list(saving: RunningKept, media_id: str) -> tuple[set[str], set[str]]:
    """The paths of the page's images that are stored, and of those that are not."""
    await store_images_of(saving, media_id)
    with reading(saving.kept.database) as tx:
        assets = images.list_assets(tx, UUID(media_id))
    stored = {f"/api/images/{asset.id}" for asset in assets if asset.blob_key}
    return stored, {f"/api/images/{asset.id}" for asset in assets} - stored


@pytest.mark.requirement("Kept", "an article reads with all images when its site is gone")
async def test_with_the_site_gone_the_article_reads_with_all_its_pictures(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    sources = [f"/{number}.png" for number in range(5)]
    for number, source in enumerate(sources):
        origin.on(source, serve(picture(size=(10 + number, 10))))
    origin.on("/preview.png", serve(picture(size=(99, 10))))
    origin.on("/favicon.ico", serve(picture(ImageFormat.ICO)))
    origin.page("/a", article(image="/preview.png"))
    item = await ann.save(origin.url("/a"))
    media_id, paths = await keep_page(saving, ann, origin, *sources)
    stored, left = await store_and_list(saving, media_id)
    assert (len(stored), len(left)) == (7, 0)
    origin.handlers.clear()
    before = origin.requests.copy()
    fragments = (await ann.get(f"/media/{media_id}/fragments")).data["fragments"]
    assert all(path in fragments[0]["html_sanitized"] for path in paths)
    assert [open_picture((await ann.get(path)).body).width for path in paths] == [10, 11, 12, 13, 14]
    assert (await ann.get(item["preview_src"])).status == 200
    assert origin.requests == before


async def test_an_icon_that_cannot_be_had_is_no_error_and_not_asked_for_again(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin
) -> None:
    origin.on("/picture", serve(HTML, "text/html"))
    _, [path] = await keep_page(saving, ann, origin, "/picture")
    missing = await ann.get(f"{path}?icon=true")
    assert (missing.status, missing.body, missing.headers["Cache-Control"]) == (204, b"", "private, max-age=3600")
    assert (await ann.get(path)).status == 502
    assert (await bob.get(f"{path}?icon=true")).status == 404


async def test_of_too_many_pictures_the_first_are_kept(saving: RunningKept, ann: Person, origin: Origin) -> None:
    sources = [f"/{number}.png" for number in range(120)]
    for source in sources:
        origin.on(source, serve(picture()))
    media_id, paths = await keep_page(saving, ann, origin, *sources)
    stored, _ = await store_and_list(saving, media_id)
    assert stored == set(paths[:100])
    with reading(saving.kept.database) as tx:
        assert queue.find_job(tx, JobKind.STORE_IMAGES, UUID(media_id)) is None


async def test_a_page_has_one_allowance_of_bytes_however_often_it_is_stored(
    saving: RunningKept, ann: Person, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [f"/{number}.png" for number in range(12)]
    for source in sources:
        origin.on(source, serve(picture()))
    media_id, _ = await keep_page(saving, ann, origin, *sources)
    allowance: dict[str, Any] = {"image_total_bytes": len(picture()) * 3}
    monkeypatch.setattr(saving.kept.images, "settings", saving.kept.settings.model_copy(update=allowance))
    runs = [await store_and_list(saving, media_id) for _ in range(2)]
    assert all(3 <= len(stored) <= 6 for stored, _ in runs)  # those under way when it was used up are finished
    assert sum(origin.requests[source] for source in sources) <= 6
