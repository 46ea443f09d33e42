"""The pages in each language in a real browser, and mirrored for one that is written from right to left."""

import pytest
from playwright.async_api import Browser, Page, expect

from kept.web.i18n import LOCALES
from support.fixtures.pseudo_locale import LONG, MIRRORED, pseudo_languages
from support.fixtures.tools import load_tool
from support.fixtures.tour import Tour, prepare_tour
from support.servers.desk import Desk, sit_down
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "web pages in five languages, and from right to left")

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}
# What people come to most, and what has the longest texts.
VISITED = ("library", "reader", "history", "failure", "account", "highlights", "queue", "import", "help", "shared")
WORDS = """() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (!parentElement.closest(".prose")) texts.push(data);
  }
  for (const name of ["aria-label", "title", "placeholder"])
    texts.push(...[...document.querySelectorAll(`[${name}]`)].map((element) => element.getAttribute(name)));
  return texts.map((text) => text.trim());
}"""


@pytest.fixture
async def tour(running: RunningKept) -> Tour:
    return await prepare_tour(running)


async def assert_fits(page: Page, name: str) -> None:
    wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{name} scrolls sideways by {wide} px"


def english_texts(tag: str) -> set[str]:
    """What must not be on a page in this language: texts that are no translation too, as Export is in German."""
    catalogue = load_tool("messages").read(LOCALES / tag.replace("-", "_"))
    texts = [message for message in catalogue if message.id and isinstance(message.id, str)]
    english = {message.id for message in texts if len(message.id) > 3 and not message.context}
    return english - {message.string for message in texts}


async def look_around(desk: Desk, tour: Tour, tag: str) -> None:
    english = english_texts(tag)
    for name in VISITED:
        await desk.go_ready(tour.inside[name])
        await assert_fits(desk.page, f"{name} in {tag}")
        left = [text for text in await desk.page.evaluate(WORDS) if text in english]
        assert left == [], f"{name} in {tag} has English texts"


@pytest.mark.parametrize(
    ("tag", "heading"),
    [
        ("de", "Speicherverlauf"),
        pytest.param("fr", "Historique", marks=pytest.mark.long),
        pytest.param("es", "Historial", marks=pytest.mark.long),
        ("zh-CN", "保存记录"),
    ],
)
async def test_a_visit_in_another_language(
    running: RunningKept, browser: Browser, tour: Tour, tag: str, heading: str
) -> None:
    async with sit_down(browser, running.address, viewport=PHONE, locale=tag) as desk:
        await desk.sign_in("ann")
        await look_around(desk, tour, "zh-Hans" if tag == "zh-CN" else tag)
        await desk.go_ready(tour.inside["history"])
        await expect(desk.page.locator(".eyebrow").last).to_contain_text(heading)
        await expect(desk.page.locator("html")).to_have_attribute("lang", "zh-Hans" if tag == "zh-CN" else tag)


async def test_the_language_that_was_chosen_is_the_scripts_too(
    running: RunningKept, browser: Browser, tour: Tour
) -> None:
    async with sit_down(browser, running.address, viewport=DESKTOP, locale="en-US") as desk:
        await desk.sign_in("ann")
        await desk.go_ready("/account")
        await desk.page.get_by_label("Language of the pages").select_option("de")
        await desk.page.get_by_role("button", name="Apply").last.click()
        await expect(desk.page.get_by_role("heading", name="Sprache")).to_be_visible()
        await desk.go_ready("/")
        await desk.page.locator(".pick").first.click()
        await expect(desk.page.locator(".selected-count")).to_have_text("1 ausgewählt")
        await desk.page.locator(".card .archive").first.click()
        await expect(desk.page.locator("#toast")).to_contain_text("1 Seite archiviert.")
        await expect(desk.page.locator("#toast").get_by_role("button", name="Rückgängig")).to_be_visible()
        await expect(desk.page.locator(".card time").first).to_contain_text("vor")


@pytest.mark.parametrize(
    "viewport",
    [pytest.param(PHONE, id="phone"), pytest.param(DESKTOP, id="desktop", marks=pytest.mark.long)],
)
async def test_a_language_written_from_right_to_left_mirrors_the_pages(
    running: RunningKept, browser: Browser, tour: Tour, viewport: dict[str, int]
) -> None:
    with pseudo_languages():
        async with sit_down(browser, running.address, viewport=viewport, locale=MIRRORED.tag) as desk:
            await desk.sign_in("ann")
            for name, path in (tour.outside | tour.inside).items():
                await desk.go(path)
                await assert_fits(desk.page, f"{name}, mirrored")
            await desk.go_ready(tour.inside["library"])
            await expect(desk.page.locator("html")).to_have_attribute("dir", "rtl")
            logo, menu = [await desk.page.locator(f".site-header {one}").bounding_box() for one in (".logo", ".menu")]
            assert logo is not None
            assert menu is not None
            assert logo["x"] > menu["x"]
            await desk.page.locator(".site-header .menu summary").click()
            await assert_fits(desk.page, "the open menu, mirrored")
            opened = await desk.page.locator(".site-header .menu nav").bounding_box()
            assert opened is not None
            assert opened["x"] >= 0


async def test_texts_that_are_longer_by_two_fifths_fit_a_phone(
    running: RunningKept, browser: Browser, tour: Tour
) -> None:
    with pseudo_languages():
        async with sit_down(browser, running.address, viewport=PHONE, locale=LONG.tag) as desk:
            await desk.sign_in("ann")
            for name, path in (tour.outside | tour.inside).items():
                await desk.go(path)
                await assert_fits(desk.page, f"{name}, longer")
