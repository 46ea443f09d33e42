"""What cards show besides words, and what is left of a list and of an article on paper."""

from aiohttp import web
from playwright.async_api import Browser, ConsoleMessage, Locator, expect

from kept.content.images.format import ImageFormat
from support.builders.pictures import picture
from support.servers.desk import sit_down
from support.servers.origin import Origin
from support.servers.serving import Person, RunningKept
from support.servers.working import Worker

BODY = '<article><h1>{title}</h1><p>A <a href="https://example.org/far">link</a> leads on.</p>{words}</article>'
WORDS = "<p>Nobody thought of the storm to come that morning, when the boats went out.</p>" * 12


def put_page(origin: Origin, path: str, title: str, *, icon: str, kind: str) -> str:
    head = f'<title>{title}</title><link rel="icon" href="{icon}"><meta property="og:type" content="{kind}">'
    return origin.page(path, f"<!doctype html><head>{head}</head>{BODY.format(title=title, words=WORDS)}")


async def is_drawn(image: Locator) -> bool:
    return bool(await image.evaluate("image => image.naturalWidth > 0 && image.getClientRects().length > 0"))


async def test_a_card_has_its_sites_icon_or_none_and_a_video_a_sign_and_both_can_be_printed(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, browser: Browser
) -> None:
    async def serve_icon(_: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=picture(ImageFormat.PNG, size=(32, 32)), content_type="image/png")

    origin.on("/icon.png", serve_icon)
    url = put_page(origin, "/harbour", "The harbour", icon="/icon.png", kind="article")
    item = await ann.save(url)
    await ann.save(put_page(origin, "/film", "A film", icon="/gone.png", kind="video.other"))
    await worker.work_off()
    errors: list[str] = []

    def watch(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    async with sit_down(browser, saving.address) as desk:
        page = desk.page
        page.on("console", watch)
        await desk.sign_in("ann")
        await desk.go_ready("/")
        story, film = (page.locator(".card", has_text=title) for title in ("The harbour", "A film"))
        await page.wait_for_function("() => [...document.images].every(one => one.complete)")
        assert await is_drawn(story.locator(".card-meta img"))
        await expect(film.locator(".card-meta img")).to_be_hidden()
        await expect(film.locator(".play")).to_be_visible()
        await expect(story.locator(".play")).to_have_count(0)
        asked = origin.requests["/gone.png"]
        await desk.go_ready("/")
        await expect(film.locator(".card-meta img")).to_be_hidden()
        assert (errors, origin.requests["/gone.png"]) == ([], asked)

        await page.emulate_media(media="print")
        await expect(story.get_by_role("heading", name="The harbour")).to_be_visible()
        for left_out in (".site-header", ".sidebar", ".toolbar .search", ".card-image", ".card .actions"):
            await expect(page.locator(left_out).first).to_be_hidden()
        meta = story.locator(".card-meta a[target]")
        assert url in await meta.evaluate("link => getComputedStyle(link, '::after').content")

        await page.emulate_media(media="screen")
        await desk.go_ready(f"/read/{item['id']}")
        await expect(page.locator(".reader-bar")).to_be_visible()
        await page.emulate_media(media="print")
        await expect(page.get_by_role("heading", name="The harbour")).to_be_visible()
        for left_out in (".reader-bar", ".article-nav"):
            await expect(page.locator(left_out).first).to_be_hidden()
        link = page.locator("#prose").get_by_role("link", name="link")
        shown = await link.evaluate("link => getComputedStyle(link, '::after').content")
        assert shown == '" (" "https://example.org/far" ")"' or shown == '" (https://example.org/far)"'
        assert await page.locator("html").evaluate("html => getComputedStyle(html).colorScheme") == "light"
