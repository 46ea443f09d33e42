"""A library with one of everything, for tests of what leaves Kept and comes back."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from aiohttp import web

from kept.content.images.format import ImageFormat
from kept.domain.failures import FailureCode
from kept.services.images.store_images import store_page
from kept.storage import media
from support.articles import fail, ingest
from support.origin import Handler, Origin
from support.pictures import picture
from support.serving import Person, RunningKept
from support.transactions import writing

HOSTILE_TITLE = "../../</script><script>alert(1)</script>\u202egnp.=1" + "x" * 300
ARTICLE = """<h2>Part &amp; whole</h2><p>Words <b>of</b> it,&nbsp;<a href="/x?a=1&amp;b=2">a link</a>.</p>
<pre>  code\n    more</pre><img src="/a.png" alt="A"><img src="/b.avif" alt="B"><img src="/gone.png" alt="Gone">"""


@dataclass(frozen=True)
class Shelf:
    article: Any
    """Read, tagged, with a note, three pictures of which two are kept, and a screenshot."""
    hostile: Any
    """A ready article under a title meant to do harm."""
    failed: Any
    odd: Any
    """Not of the web."""
    team: Any
    """A second library that holds `article` too, under its own words."""


def serve(kind: ImageFormat) -> Handler:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=picture(kind), content_type=kind.value)

    return answer


async def fill_shelf(running: RunningKept, person: Person, origin: Origin) -> Shelf:
    origin.on("/a.png", serve(ImageFormat.PNG))
    origin.on("/b.avif", serve(ImageFormat.AVIF))
    head = '<title>The page</title><meta property="og:image" content="/a.png">'
    origin.page("/article", f"{head}<p>Words enough to be a page.</p>")
    words = {"note": "=mine\nin two lines", "tags": ["b tag", "a"], "title": "Über: Trees & Birds"}
    article = await save(person, url=origin.url("/article"), **words)
    ingest(running.kept.database, article["media_id"], ARTICLE, base_url=origin.url("/article"))
    await store_page(running.kept.images, UUID(article["media_id"]))
    await take_screenshot(running, article["media_id"])
    reading = {"is_favourite": True, "is_read": True, "progress": 0.25}
    article = (await person.patch(f"/api/v1/items/{article['id']}", reading)).data
    hostile = await save(person, url=origin.url("/hostile?a=1&b=<2>"), title=HOSTILE_TITLE[:500], wait=False)
    ingest(running.kept.database, hostile["media_id"], "<p>Harmless.</p>", base_url=origin.url("/hostile"))
    failed = await save(person, url=origin.url("/failed"), wait=False, note="@later")
    fail(running.kept.database, failed["media_id"], FailureCode.FETCH_FAILED)
    odd = await save(person, url="javascript:alert(1)", title="Odd")
    team = (await person.post("/api/v1/libraries", {"name": "Team: α/β"})).data
    await save(person, url=origin.url("/article"), library_id=team["id"], title="Ours", tags=["ours"])
    origin.handlers.clear()
    return Shelf(article, hostile, failed, odd, team)


async def save(person: Person, **body: Any) -> Any:
    answer = await person.post("/api/v1/items", body)
    assert answer.status in {200, 201}, answer.body
    return answer.data


async def take_screenshot(running: RunningKept, media_id: str) -> None:
    key = f"thumbnails/{media_id[-2:]}/{media_id.replace('-', '')}.webp"
    await running.kept.blobs.put(key, picture(ImageFormat.WEBP), "image/webp")
    with writing(running.kept.database) as tx:
        media.update_media(tx, UUID(media_id), running.kept.now(), thumbnail_key=key)
