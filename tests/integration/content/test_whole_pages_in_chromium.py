"""Whole pages in a real browser: nothing of an uploaded file runs or asks any host for anything; and a captured page
shows what its original shows."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, Page, Route

from kept.api.routes.pages import WHOLE_PAGE_POLICY
from kept.content.images.format import ImageFormat
from kept.content.whole_page.page_file import BadPageFile, open_page_file
from kept.content.whole_page.policy import SANDBOX
from kept.content.whole_page.static_page import make_static_page
from support.builders.page_files import mhtml, part
from support.builders.pictures import picture
from support.hostile.xss import HOOKS, OWN_PAYLOADS, POKE, public_payloads

pytestmark = pytest.mark.requirement("Kept", "whole pages, in which nothing runs or loads")

ORIGIN: Final = "http://reader.test"
VIEWER: Final = "<!doctype html><title>Viewer</title><iframe {} src=/page></iframe>"
BATCH: Final = 100
RULES: Final = (
    "@import url({0});@import '{0}';",
    "a{{background:url({0})}}",
    "a{{background:u\\72l('{0}')}}",
    "a{{background:image-set('{0}' 1x)}}",
    "@font-face{{font-family:x;src:url({0})}}a{{font-family:x}}",
    "a{{content:'</style><img src=x onerror=canary(1)>'}}",
    "a{{list-style:url(//evil.example/x)}}",
)


def hide(payloads: list[str]) -> Iterator[str]:
    """Where a page may hide what it wants to run: its markup, frames, styles, drawings, templates, attributes."""
    for payload in payloads:
        quoted = payload.replace("&", "&amp;").replace('"', "&quot;")
        yield payload
        yield f'<iframe srcdoc="{quoted}"></iframe><img alt="{quoted}" title="{quoted}">'
        yield f"<svg><desc>{payload}</desc><style>{payload}</style></svg><template shadowmode=open>{payload}</template>"


def make_files(payloads: list[str]) -> list[bytes]:
    """HTML, and MHTML with the payloads in parts, their headers and their encodings."""
    rules = "".join(rule.format("https://evil.example/s") for rule in RULES)
    body = f"<style>{rules}</style>" + "".join(f"<div>{text}</div>" for text in hide(payloads))
    head = "<!doctype html><html><head><title>T</title></head><body>"
    joined = " ".join(payloads)[:2000].replace("\r", " ").replace("\n", " ")
    drawing = f"<svg xmlns='http://www.w3.org/2000/svg'>{''.join(payloads)}</svg>".encode()
    parts = (
        part("image/svg+xml", "https://example.org/d.svg", drawing),
        part("text/css", "https://example.org/c.css", rules.encode() + joined.encode()),
        part(f'text/html; charset="{joined[:200]}"', "https://example.org/f", body.encode()[:20_000], content_id="f"),
        part("image/png", joined, picture(ImageFormat.PNG), content_id=joined[:100]),
    )
    framed = "<link rel=stylesheet href=c.css><img src=d.svg><iframe src='cid:f'></iframe>"
    return [f"{head}{body}".encode(), mhtml(f"{head}{framed}{body}", *parts)]


async def show(
    browser: Browser, html: str, *, policy: str | None, frame: str = f'sandbox="{SANDBOX}"'
) -> tuple[list[str], list[str]]:
    """What was reported and what was asked for, with the page in a frame as the viewer shows it."""
    reports: list[str] = []
    requests: list[str] = []
    context = await browser.new_context(service_workers="block", accept_downloads=False)
    try:
        page = await context.new_page()
        await page.expose_function("keptReport", lambda report: reports.append(report))
        await page.add_init_script(HOOKS)
        await page.route("**/*", lambda route: serve(route, html, policy, frame, requests))
        await page.goto(f"{ORIGIN}/", wait_until="load")
        await asyncio.wait_for(page.evaluate(POKE), timeout=60)
    finally:
        await context.close()
    return [report for report in reports if not report.startswith("violation")], requests


async def serve(route: Route, html: str, policy: str | None, frame: str, requests: list[str]) -> None:
    path = route.request.url.removeprefix(ORIGIN)
    if path in ("/", "/page"):
        headers = {"content-type": "text/html; charset=utf-8"}
        if path == "/page" and policy:
            headers["content-security-policy"] = policy
        await route.fulfill(status=200, headers=headers, body=html if path == "/page" else VIEWER.format(frame))
    elif path != "/favicon.ico":
        requests.append(route.request.url)
        await route.abort()


def make_static(file: bytes) -> str:
    opened = open_page_file(file, "https://example.org/a", max_bytes=30 * 1024 * 1024)
    assert not isinstance(opened, BadPageFile), opened
    made = make_static_page(opened, max_bytes=60 * 1024 * 1024)
    assert isinstance(made, str), made
    return made


async def assert_harmless(browser: Browser, payloads: list[str]) -> None:
    for start in range(0, len(payloads), BATCH):
        for file in make_files(payloads[start : start + BATCH]):
            html = make_static(file)
            assert await show(browser, html, policy=WHOLE_PAGE_POLICY) == ([], []), start
            # without the server's policy and the sandbox too: as a file that was downloaded
            assert await show(browser, html, policy=None, frame="") == ([], []), start


async def test_the_harness_sees_what_runs_and_what_is_asked_for(browser: Browser) -> None:
    html = "<!doctype html><img src=https://evil.example/x onerror=canary(1)><style>@import '//evil.example/y';</style>"
    executions, requests = await show(browser, html, policy=None, frame="")
    assert executions == ["canary: 1"]
    assert "https://evil.example/x" in requests


async def test_nothing_runs_or_loads_in_a_whole_page_of_our_own_payloads(browser: Browser) -> None:
    await assert_harmless(browser, OWN_PAYLOADS)


async def test_a_link_opens_an_ordinary_tab_that_knows_nothing_of_the_page(browser: Browser) -> None:
    html = make_static(b"<!doctype html><p><a href='/b' target=_top>On</a> <a href='javascript:canary(1)'>No</a>")
    asked: list[dict[str, str]] = []

    async def answer(route: Route) -> None:
        if route.request.url.startswith(ORIGIN):
            await serve(route, html, WHOLE_PAGE_POLICY, f'sandbox="{SANDBOX}"', [])
        else:
            asked.append(route.request.headers)
            await route.fulfill(status=200, content_type="text/html", body="<!doctype html><title>B</title>")

    context = await browser.new_context(service_workers="block")
    try:
        await context.route("**/*", answer)
        page = await context.new_page()
        await page.goto(f"{ORIGIN}/", wait_until="load")
        frame = page.frame_locator("iframe")
        assert await frame.get_by_text("No", exact=True).get_attribute("href") is None
        async with context.expect_page() as opened:
            await frame.get_by_role("link", name="On").click()
        tab = await opened.value
        await tab.wait_for_url("https://example.org/b")
        assert await tab.evaluate("[self.opener, self.origin]") == [None, "https://example.org"]
        assert page.url == f"{ORIGIN}/"
    finally:
        await context.close()
    assert "referer" not in asked[0]


@pytest.mark.long
async def test_nothing_runs_or_loads_in_a_whole_page_of_any_public_payload(browser: Browser) -> None:
    await assert_harmless(browser, public_payloads())


async def test_nothing_runs_or_loads_in_a_whole_page_of_some_public_payloads(browser: Browser) -> None:
    payloads = public_payloads()
    await assert_harmless(browser, payloads[:: max(1, len(payloads) // 100)][:100])


# --- what is shown ------------------------------------------------------------------------------------------------

PAGES: Final = Path(__file__).parents[2] / "corpus" / "pages"
WORDS: Final = """() => {
  const words = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && words.length < 5000; node = walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const place = [node.data.trim(), Math.round(box.x), Math.round(box.y)];
    if (place[0] && box.width && box.height) words.push(place);
  }
  return words;
}"""
SHOWN_IMAGES: Final = "() => [...document.images].filter(image => image.complete && image.naturalWidth > 0).length"


async def open_original(page: Page, html: str, image: bytes) -> bytes:
    """Draw a page whose images all come, and let the browser capture it."""

    async def answer(route: Route) -> None:
        kind = route.request.resource_type
        if route.request.is_navigation_request():
            await route.fulfill(status=200, content_type="text/html; charset=utf-8", body=html)
        elif kind == "image":
            await route.fulfill(status=200, content_type="image/png", body=image)
        else:
            await route.abort()

    await page.route("**/*", answer)
    await page.goto("https://example.org/a", wait_until="load")
    cdp = await page.context.new_cdp_session(page)
    return str((await cdp.send("Page.captureSnapshot", {"format": "mhtml"}))["data"]).encode()


@pytest.mark.long
async def test_whole_pages_show_the_text_of_their_originals_in_its_place_and_their_images(browser: Browser) -> None:
    image = picture(ImageFormat.PNG, (120, 80))
    pages = sorted(PAGES.glob("*.html"))[::3][:10]
    assert len(pages) == 10
    shares = {}
    for path in pages:
        context = await browser.new_context(viewport={"width": 1280, "height": 720}, java_script_enabled=True)
        original, copy = await context.new_page(), await context.new_page()
        file = await open_original(original, path.read_text("utf-8", "replace"), image)
        html = make_static(file)
        await copy.set_content(html, wait_until="load")
        words, shown = await original.evaluate(WORDS), await copy.evaluate(WORDS)
        places = {(text, x, y) for text, x, y in shown}
        near = sum(
            any((text, x + dx, y + dy) in places for dx in (-1, 0, 1) for dy in (-1, 0, 1)) for text, x, y in words
        )
        images = await original.evaluate(SHOWN_IMAGES), await copy.evaluate(SHOWN_IMAGES)
        shares[path.name] = (near / max(len(words), 1), images)
        await context.close()
    print(json.dumps(shares, indent=1))
    assert {name: share for name, (share, _) in shares.items() if share < 0.95} == {}
    assert {name: images for name, (_, images) in shares.items() if images[1] < images[0]} == {}
    assert sum(images[1] for _, images in shares.values()) > 0
