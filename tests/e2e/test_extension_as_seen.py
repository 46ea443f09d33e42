"""Pages as somebody sees them, saved by the extension: what a login shows them stays theirs."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from playwright.async_api import Browser, Page, expect

from support.builders.pictures import picture
from support.servers.extension import SOURCE, open_extended, prepare_extension
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

pytestmark = pytest.mark.requirement("Kept", "the browser extension; its token can only save")

PATIENCE = 30_000  # ms; test machines are busy
SOON = timedelta(seconds=10)  # and may need a second attempt
PUBLIC = "<p>The harbour master keeps a diary, and this is how it begins on an ordinary morning in spring.</p>" * 4
SECRET = "<p>Zweitausend sturgeons were counted by members alone, in the small hours before the tide.</p>" * 6


def member_site(origin: Origin) -> str:
    """A page that shows more to whoever has its cookie, and an image that is for them alone."""

    def is_member(request: web.BaseRequest) -> bool:
        return request.cookies.get("member") == "yes"

    async def sign_in(request: web.BaseRequest) -> web.StreamResponse:
        response = web.Response(text="<title>Signed in</title>", content_type="text/html")
        response.set_cookie("member", "yes")
        return response

    async def story(request: web.BaseRequest) -> web.StreamResponse:
        more = f'{SECRET}<img src="/chart.png" alt="Chart" width="300" height="200">' if is_member(request) else ""
        text = f"<title>A diary</title><article><h1>A diary</h1>{PUBLIC}{more}</article>"
        return web.Response(text=text, content_type="text/html")

    async def chart(request: web.BaseRequest) -> web.StreamResponse:
        if not is_member(request):
            return web.Response(status=403)
        return web.Response(body=picture(size=(300, 200)), content_type="image/png")

    origin.on("/sign-in", sign_in)
    origin.on("/chart.png", chart)
    return origin.on("/story", story)


async def read_article(person: Person, media_id: str) -> str:
    answer = await person.get(f"/api/v1/media/{media_id}/fragments")
    history = (await person.get(f"/api/v1/media/{media_id}/transitions")).data["transitions"]
    assert answer.status == 200, [(line["to_state"], line["details"]) for line in history]
    [fragment] = answer.data["fragments"]
    return str(fragment["html_sanitized"])


async def require_nothing_of_it(person: Person, private: dict[str, Any], image: str) -> None:
    """Whatever way they look."""
    for path in (f"/api/v1/media/{private['media_id']}/fragments", f"/api/v1/items/{private['id']}", image):
        assert (await person.get(path)).status == 404, path
    assert (await person.get("/api/v1/search?q=sturgeons&library_id=all")).data == []
    for path in ("/api/v1/export?format=csv", "/api/v1/export?format=html", "/", "/api/v1/items"):
        assert b"sturgeons" not in (await person.get(path, Accept="text/html")).body, path


@pytest.mark.parametrize("way", ["html", pytest.param("mhtml", marks=pytest.mark.long)])
async def test_a_page_behind_a_login_is_saved_as_seen_for_who_saw_it_alone(
    saving: RunningKept, ann: Person, bob: Person, origin: Origin, worker: Worker, tmp_path: Path, way: str
) -> None:
    url = member_site(origin)
    given = ["pageCapture"] if way == "mhtml" else []
    extension = prepare_extension(tmp_path, [saving.address, origin.address], given)
    async with open_extended(extension, tmp_path / "profile") as browser:
        await browser.sign_in(saving.address, "ann")
        await browser.pair(saving.address)
        # a browser without a screen cannot show its question about MHTML
        await browser.run("() => chrome.storage.local.set({settings: {hasAskedForMhtml: true}})")
        await (await browser.visit(origin.url("/sign-in"))).close()
        page = await browser.visit(url)
        popup = await browser.open_popup(page)
        await popup.get_by_role("textbox", name="Tags").fill("diary")
        asked = origin.requests["/story"]
        await popup.get_by_role("button", name="Save as I see it").click()
        await expect(popup.get_by_role("status")).to_have_text("Saved.", timeout=PATIENCE)
        await expect(popup.locator("#title")).to_have_text("A diary")
        [private] = (await ann.get("/api/v1/items")).data
        assert private["tags"] == ["diary"]
        before = origin.requests["/chart.png"]
        await worker.work_off(ahead=SOON)
        assert origin.requests["/story"] == asked  # not fetched again
        assert origin.requests["/chart.png"] == before  # it came with the page
    article = await read_article(ann, private["media_id"])
    assert "sturgeons" in article
    assert "harbour master" in article
    image = article.partition('src="')[2].partition('"')[0]
    assert (await ann.get(image)).status == 200

    public = await bob.save(url)
    await worker.work_off(ahead=SOON)
    assert public["media_id"] != private["media_id"]
    assert "sturgeons" not in await read_article(bob, public["media_id"])
    assert "harbour master" in await read_article(bob, public["media_id"])
    await require_nothing_of_it(bob, private, image)


LIVE = """<!doctype html><html lang="en"><head><title>Live</title>
<script type="application/ld+json">{"headline": "Live"}</script><meta http-equiv="refresh" content="9999"></head><body>
<my-story><p slot="text">Put into a slot</p><p>In no slot</p></my-story>
<img id="lazy" src="/wide.png" data-src="/never.png" srcset="/wide.png 1x, /other.png 2x">
<img id="late" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/late.png">
<input value="as written"><input type="password" value="hunter2"><input type="hidden" value="csrf"><textarea></textarea>
<p onclick="alert(1)">漢字 &amp; &lt;b&gt;</p><noscript>no</noscript><template>tpl</template><!-- comment -->
<script>
customElements.define("my-story", class extends HTMLElement {
  constructor() { super(); this.attachShadow({mode: "open"}).innerHTML =
    "<h2>In the shadow</h2><slot name='text'></slot><slot name='empty'>What an empty slot says</slot>"; }
});
document.querySelector("input").value = "typed by somebody";
document.querySelector("textarea").value = "typed too";
let deep = document.body;
for (let depth = 0; depth < 2000; depth++) deep = deep.appendChild(document.createElement("i"));
deep.textContent = "at the bottom";
</script></body></html>"""


async def serialise(page: Page) -> dict[str, str]:
    return dict(await page.evaluate((SOURCE / "capture" / "serialise.js").read_text()))


async def test_the_document_is_taken_as_it_is_now_without_scripts_and_what_was_typed(
    browser: Browser, origin: Origin
) -> None:
    origin.file("/wide.png", picture(size=(40, 20)), "image/png")
    page = await (await browser.new_context()).new_page()
    await page.goto(origin.page("/live", LIVE))
    html = (await serialise(page))["html"]
    for kept in (
        "In the shadow",
        "Put into a slot",
        "What an empty slot says",
        "at the bottom",
        "漢字 &amp; &lt;b&gt;",
    ):
        assert kept in html, kept
    for gone in (
        "In no slot",
        "typed",
        "hunter2",
        "csrf",
        "alert",
        "customElements",
        "no</",
        "tpl",
        "comment",
        "refresh",
    ):
        assert gone not in html, gone
    assert '"headline"' in html
    assert html.startswith('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><base href="http')
    assert '<img id="lazy" src="data:image/png;base64,' in html
    assert "/never.png" not in html
    assert 'data-src="/late.png"' in html
    await page.goto(origin.file("/text", b"plain", "text/plain"))
    assert await serialise(page) == {"problem": "not_a_page"}
    await page.context.close()


@pytest.mark.long
async def test_a_document_that_is_too_large_is_refused_where_it_is(browser: Browser, origin: Origin) -> None:
    page = await (await browser.new_context()).new_page()
    await page.goto(origin.page("/large", "<p></p><script>document.body.append('x'.repeat(30000001))</script>"))
    assert await serialise(page) == {"problem": "too_large"}
    await page.context.close()
