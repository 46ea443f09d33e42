"""Reading for an hour: contents, large images, a voice that reads aloud, and type as one likes it."""

from uuid import UUID

import pytest
from playwright.async_api import Browser, Page, expect
from sqlalchemy import select

from kept.domain.media import image_asset_id
from kept.storage import items, tables
from support.builders.demo import Page as DemoPage
from support.builders.demo import picture_key, stock
from support.fixtures.transactions import writing
from support.servers.desk import sit_down
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "contents, zoom, reading aloud, fonts, touch controls")

FILLER = "<p>" + "One sentence stands here. Another one follows it! " * 12 + "</p>"
LONG = "".join(f"<h2>Part {number}</h2>{FILLER * 3}<h3>Aside {number}</h3>{FILLER}" for number in (1, 2, 3))
PICTURE = '<figure><img src="/api/images/{picture}" alt="A workbench" width="640" height="360"></figure>'
ARTICLE = DemoPage("A long read", "Site", "https://example.org/long", words=2000, html=LONG + PICTURE)
# Chromium without a desktop has no voices; this one speaks when it is told to.
VOICES = """
window.said = [];
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", { value: {
  getVoices: () => [{ name: "Ada", lang: "en-GB", voiceURI: "ada", default: true },
                    { name: "Jean", lang: "fr_FR", voiceURI: "jean", default: false }],
  speak(utterance) { window.said.push(utterance.text.trim()); window.utterance = utterance; },
  cancel() {}, addEventListener() {},
} });
"""


async def put_article(running: RunningKept) -> UUID:
    """With a preview image that the article itself does not have."""
    ann = running.make_user("ann")
    [item_id] = await stock(running.kept.database, running.kept.blobs, ann.id, (ARTICLE,))
    with writing(running.kept.database) as tx:
        media_id = items.find_media_of_item(tx, item_id)
        assert media_id is not None
        url = "https://example.org/preview.webp"
        stored = {"blob_key": picture_key(media_id), "content_type": "image/webp"}
        at = tx.scalar(select(tables.media.c.created_at))
        asset = {"id": image_asset_id(media_id, url), "media_id": media_id, "origin_url": url, "created_at": at}
        tx.execute(tables.image_assets.insert().values(**asset, **stored))
        tx.execute(tables.media.update().values(preview_image_url=url))
    return item_id


async def test_a_long_article_has_contents_a_lead_image_and_images_that_open_large(
    running: RunningKept, browser: Browser
) -> None:
    item_id = await put_article(running)
    async with sit_down(browser, running.address, viewport={"width": 1600, "height": 900}) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready(f"/read/{item_id}")
        contents = page.get_by_role("navigation", name="Contents")
        await expect(contents.get_by_role("link")).to_have_count(6)
        await contents.get_by_role("link", name="Part 3").click()
        await expect(page.get_by_role("heading", name="Part 3")).to_be_in_viewport()
        await expect(contents.locator("[aria-current=true]")).to_have_text("Part 3")
        lead = page.locator(".lead img")
        assert await lead.evaluate("image => image.decode().then(() => image.naturalWidth)") == 640
        await check_zoom(page)


async def check_zoom(page: Page) -> None:
    link = page.locator("#prose a.zoom")
    await link.focus()
    await page.keyboard.press("Enter")
    box = page.get_by_role("dialog", name="Image")
    await expect(box.get_by_role("img", name="A workbench")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(box).to_be_hidden()
    await expect(link).to_be_focused()
    await link.click()
    await box.get_by_role("button", name="Close").click()
    await expect(box).to_be_hidden()


async def test_without_scripts_contents_unfold_and_images_are_links(running: RunningKept, browser: Browser) -> None:
    item_id = await put_article(running)
    options = {"viewport": {"width": 390, "height": 844}, "java_script_enabled": False}
    async with sit_down(browser, running.address, **options) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go(f"/read/{item_id}")
        contents = page.get_by_role("navigation", name="Contents")
        await expect(contents.get_by_role("link", name="Part 2")).to_be_hidden()
        await contents.get_by_text("Contents", exact=True).click()
        await contents.get_by_role("link", name="Part 2").click()
        await expect(page.get_by_role("heading", name="Part 2")).to_be_in_viewport()
        await expect(page.get_by_role("button", name="Read aloud")).to_be_hidden()
        image = await page.locator("#prose a.zoom").get_attribute("href")
        assert (await desk.context.request.get(f"{running.address}{image}")).ok


async def test_an_article_is_read_aloud_sentence_by_sentence(running: RunningKept, browser: Browser) -> None:
    item_id = await put_article(running)
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await page.add_init_script(VOICES)
        await desk.go_ready(f"/read/{item_id}")
        await page.get_by_role("button", name="Read aloud").click()
        player = page.get_by_role("toolbar", name="Read aloud")
        await expect(player.get_by_label("Voice").get_by_role("option")).to_have_text(["Ada"])
        await page.evaluate("utterance.onend()")
        await page.evaluate("utterance.onend()")
        marked = "[...CSS.highlights.get('spoken')].map(range => range.toString())"
        assert await page.evaluate(marked) == ["Another one follows it!"]
        await page.keyboard.press("[")
        await page.keyboard.press("p")
        await expect(player.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")
        await page.evaluate("utterance.onend()")  # what was cancelled ends too
        await page.keyboard.press("p")
        await player.get_by_label("Speed").select_option("1.5")
        said = ["Part 1", "One sentence stands here.", "Another one follows it!", *["One sentence stands here."] * 3]
        assert await page.evaluate("said") == said
        assert await page.evaluate("[utterance.rate, utterance.voice.name]") == [1.5, "Ada"]
        await player.get_by_role("button", name="Stop").click()
        assert await page.evaluate("CSS.highlights.has('spoken')") is False


@pytest.mark.parametrize("font", ["Serif", "Sans", "System"])
async def test_fonts_come_from_kept_and_nothing_moves_when_they_arrive(
    running: RunningKept, browser: Browser, font: str
) -> None:
    item_id = await put_article(running)
    family = {"Serif": "Kept Serif", "Sans": "Kept Sans", "System": None}[font]
    async with sit_down(browser, running.address) as desk:
        page = desk.page
        await desk.sign_in("ann")
        await desk.go_ready("/account")
        if font != "Serif":  # which is what one begins with
            async with page.expect_response("**/preferences"):
                await page.get_by_label(font, exact=True).last.check()
        async with page.expect_response("**/preferences"):
            await page.get_by_label("Loose").check()
        await desk.go_ready(f"/read/{item_id}")
        await page.evaluate("document.fonts.ready.then(() => true)")
        measure = (
            "prose => parseFloat(getComputedStyle(prose).lineHeight) / parseFloat(getComputedStyle(prose).fontSize)"
        )
        assert await page.locator("#prose").evaluate(measure) == pytest.approx(1.9, abs=0.01)
        loaded = "[...document.fonts].filter(face => face.status === 'loaded').map(face => face.family)"
        assert (family in {name.strip('"') for name in await page.evaluate(loaded)}) is (family is not None)
        if family:
            assert await compare_heights(page, family) < 0.03


async def compare_heights(page: Page, family: str) -> float:
    """How much higher or lower the article would be in the font that stands in until its own has come."""
    return float(
        await page.evaluate(
            """family => {
              const prose = document.querySelector('#prose');
              const height = () => prose.getBoundingClientRect().height;
              const loaded = height();
              prose.style.fontFamily = `"${family} Fallback"`;
              return Math.abs(height() - loaded) / loaded;
            }""",
            family,
        )
    )
