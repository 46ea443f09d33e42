"""`./test --shots` writes pictures of every page into tests/shots/, in English and German, for people to look at."""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from support.fixtures.tour import Tour, prepare_tour
from support.servers.desk import sit_down
from support.servers.serving import RunningKept

FOLDER = Path(__file__).parents[1] / "shots"
HEIGHTS = {390: 844, 820: 1180, 1440: 900}


@pytest.mark.parametrize(("theme", "locale"), [("light", "en-GB"), ("dark", "en-GB"), ("light", "de-DE")])
@pytest.mark.parametrize("width", list(HEIGHTS))
async def test_pictures_of_every_page(
    request: pytest.FixtureRequest, running: RunningKept, browser: Browser, width: int, theme: str, locale: str
) -> None:
    if not request.config.getoption("--shots"):
        pytest.skip("pictures for people: ./test --shots")
    FOLDER.mkdir(exist_ok=True)
    tour = await prepare_tour(running)
    viewport = {"width": width, "height": HEIGHTS[width]}
    kind = f"{width}-{theme}" + ("" if locale == "en-GB" else f"-{locale[:2]}")
    async with sit_down(browser, running.address, viewport=viewport, color_scheme=theme, locale=locale) as desk:
        for name, path in tour.outside.items():
            await desk.go(path)
            await desk.page.screenshot(path=FOLDER / f"{name}-{kind}.png")
        await desk.sign_in("ann")
        for name, path in tour.inside.items():
            await desk.go_ready(path)
            await desk.page.wait_for_load_state("networkidle") if "library" not in name else None
            await desk.page.screenshot(path=FOLDER / f"{name}-{kind}.png", full_page=width > 400)
        await take_overlays(desk, tour, kind)


async def take_overlays(desk: object, tour: Tour, kind: str) -> None:
    from support.servers.desk import Desk

    assert isinstance(desk, Desk)
    await desk.go_ready("/")
    await desk.page.keyboard.press("?")
    await desk.page.screenshot(path=FOLDER / f"keys-{kind}.png")
    await desk.page.keyboard.press("Escape")
    for number in range(2):
        await desk.page.locator(".pick").nth(number).click()
    await desk.page.screenshot(path=FOLDER / f"bulk-{kind}.png")
    await desk.go_ready(tour.inside["reader"])
    await desk.page.get_by_text("Aa", exact=True).click()
    await desk.page.screenshot(path=FOLDER / f"type-{kind}.png")
