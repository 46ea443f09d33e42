"""A card's image: one route, card size, WebP, kept."""

from typing import Any
from uuid import UUID, uuid4

from kept.clock import utc_now
from kept.storage import media
from support.builders.pictures import HTML, open_picture, picture
from support.fixtures.transactions import writing
from support.servers.origin import Origin, article
from support.servers.serving import Person, RunningKept


async def save_with_preview(person: Person, origin: Origin, body: bytes) -> Any:
    origin.file("/preview.jpg", body, "image/jpeg")
    page = article(image="/preview.jpg").replace("<head>", '<head><link rel="icon" href="/icon.png">')
    return await person.save(origin.page("/a", page))


async def set_screenshot(saving: RunningKept, item: Any) -> bytes:
    key, data = "thumbnails/aa/shot.webp", picture(size=(64, 36))
    await saving.kept.blobs.put(key, data, "image/webp")
    with writing(saving.kept.database) as tx:
        media.update_media(tx, UUID(item["media_id"]), utc_now(), thumbnail_key=key)
    return data


async def test_the_preview_is_shown_in_card_size_as_webp_and_fetched_once(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_with_preview(ann, origin, picture(size=(3000, 1500)))
    answers = [await ann.get(item["preview_src"]) for _ in range(2)]
    assert {(answer.status, answer.headers["Content-Type"]) for answer in answers} == {(200, "image/webp")}
    assert open_picture(answers[0].body).size == (640, 320)
    assert answers[0].headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert origin.requests["/preview.jpg"] == 1
    again = await ann.get(item["preview_src"], **{"If-None-Match": answers[0].headers["ETag"]})
    assert (again.status, again.body) == (304, b"")


async def test_a_preview_that_is_no_picture_leaves_the_screenshot(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    item = await save_with_preview(ann, origin, HTML)
    assert (await ann.get(item["preview_src"])).status == 404
    shot = await set_screenshot(saving, item)
    assert (await ann.get(item["preview_src"])).body == shot


async def test_a_card_without_a_picture_and_a_card_of_somebody_else_are_both_404(
    saving: RunningKept, ann: Person, origin: Origin
) -> None:
    bob = await saving.make_person("bob")
    item = await save_with_preview(ann, origin, picture())
    plain = await ann.save(origin.page("/b", article(image=None)))
    assert plain["preview_src"] is None
    assert (await ann.get(f"/api/v1/items/{plain['id']}/thumbnail")).status == 404
    hidden, absent = await bob.get(item["preview_src"]), await bob.get(f"/api/v1/items/{uuid4()}/thumbnail")
    assert hidden.json["error"] | {"request_id": ""} == absent.json["error"] | {"request_id": ""}


async def test_a_sites_icon_comes_through_the_proxy(saving: RunningKept, ann: Person, origin: Origin) -> None:
    origin.file("/icon.png", picture(size=(32, 32)), "image/x-icon")
    item = await save_with_preview(ann, origin, picture())
    assert item["favicon_src"].startswith("/api/images/")
    assert open_picture((await ann.get(item["favicon_src"])).body).size == (32, 32)
